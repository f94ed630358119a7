// Which kernel of CTC does a step, in how large a group: metal/kernels/ctc/interface.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "metal/device/limits.h"
#include "metal/host/ctc/statement.h"
#include "metal/host/pipelines.h"

namespace assay::metal::host {

/// Bytes of [[threadgroup(0)]] that `columns` columns of L states take.
constexpr std::uint64_t ctc_column_bytes(std::uint64_t columns, std::uint64_t L) {
  constexpr std::uint64_t scaled_bytes = 8;
  return (columns * L * scaled_bytes + 15) / 16 * 16;
}

/// A kernel ready to be dispatched.
struct CtcKernel {
  std::shared_ptr<const ComputePipeline> pipeline;
  std::uint64_t threads = 32;            ///< of a group
  std::uint64_t threadgroup_length = 0;  ///< of [[threadgroup(0)]]
  bool is_in_device_memory = false;      ///< where the columns lie
};

/// Errors of each: those of Pipelines::get; limit, for a pipeline that takes no simdgroup of 32 threads.
class CtcKernels {
 public:
  CtcKernels(Pipelines& pipelines, const Limits& limits, const CtcStatement& statement);

  /// By frame: emissions, or the plain softmax.
  Result<CtcKernel> softmax();
  /// For rows of up to L states.
  Result<CtcKernel> forward(std::uint64_t L);
  Result<CtcKernel> backward(std::uint64_t L);
  /// By frame, of the plain path alone: the production path's backward writes the gradient.
  Result<CtcKernel> gradient();
  Result<CtcKernel> reduce();

 private:
  /// The name of a recursion's kernel is stem + size class + type.
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
  std::string type_;  ///< with a _ before it
  FunctionConstants constants_;
};

/// The function that a library has where it takes activations of this type.
std::string ctc_softmax_name(CtcPath path, const std::string& type);

}  // namespace assay::metal::host
