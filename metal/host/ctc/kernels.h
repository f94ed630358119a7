// Which kernel of CTC computes a step, and in threadgroups of which size: metal/kernels/ctc/interface.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "metal/device/limits.h"
#include "metal/host/ctc/statement.h"
#include "metal/host/pipelines.h"

namespace assay::metal::host {

/// The bytes of [[threadgroup(0)]] for `columns` columns of L states.
constexpr std::uint64_t ctc_column_bytes(std::uint64_t columns, std::uint64_t L) {
  constexpr std::uint64_t scaled_bytes = 8;
  return (columns * L * scaled_bytes + 15) / 16 * 16;
}

/// A kernel ready to be dispatched.
struct CtcKernel {
  std::shared_ptr<const ComputePipeline> pipeline;
  std::uint64_t threads = 32;            ///< in a group
  std::uint64_t threadgroup_length = 0;  ///< bytes of [[threadgroup(0)]]
  bool is_in_device_memory = false;      ///< whether the columns are in device memory
};

/// Errors of each function: those of Pipelines::get; limit, for a pipeline without simdgroups of 32 threads.
class CtcKernels {
 public:
  CtcKernels(Pipelines& pipelines, const Limits& limits, const CtcStatement& statement);

  /// For each frame: emissions, or the plain softmax.
  Result<CtcKernel> softmax();
  /// For rows of up to L states.
  Result<CtcKernel> forward(std::uint64_t L);
  Result<CtcKernel> backward(std::uint64_t L);
  /// For each frame, on the plain path only: the backward kernel of the production path writes the gradient itself.
  Result<CtcKernel> gradient();
  Result<CtcKernel> reduce();

 private:
  /// The kernel of a recursion has the name stem + size class + type.
  struct Recursion {
    std::string stem, type;
    std::uint64_t columns = 0;
  };
  Result<CtcKernel> recursion(const Recursion& recursion, std::uint64_t L);
  Result<CtcKernel> of_simdgroup(const std::string& name);
  Result<CtcKernel> of_states(const std::string& name, std::uint64_t L);

  Pipelines& pipelines_;
  const Limits& limits_;
  bool is_plain_;
  std::uint64_t min_states_;
  std::string type_;  ///< with a leading _
  FunctionConstants constants_;
};

/// The name of a function that a library has if it supports activations of this type.
std::string ctc_softmax_name(CtcPath path, const std::string& type);

}  // namespace assay::metal::host
