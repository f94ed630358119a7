// The choice of CTC's kernel for a step, and of its threadgroups' size: metal/kernels/ctc/interface.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "metal/device/limits.h"
#include "metal/host/ctc/statement.h"
#include "metal/host/dispatch.h"
#include "metal/host/pipelines.h"
#include "metal/kernels/ctc/interface.h"

namespace assay::metal::host {

/// The bytes of [[threadgroup(0)]] of ctc_emissions_held_D.
constexpr std::uint64_t ctc_held_bytes(std::uint64_t C) {
  return (C + 3) / 4 * 4 * sizeof(float);
}

/// Errors of each function: those of Pipelines::get; limit, for a pipeline without simdgroups of 32 threads.
class CtcKernels {
 public:
  CtcKernels(Pipelines& pipelines, const Limits& limits, const CtcStatement& statement);

  /// For each frame: emissions, or the plain softmax.
  Result<Kernel> softmax();
  /// For rows of up to L states: alpha, and on the production path also beta.
  Result<Kernel> recursion(std::uint64_t L);
  /// The same in parts of some frames.
  Result<Kernel> recursion_in_parts(std::uint64_t L) { return kernel("ctc_recursion_device", L); }
  Result<Kernel> plain_beta(std::uint64_t L);
  /// For each frame.
  Result<Kernel> gradient();
  Result<Kernel> reduce();

 private:
  /// `threads`: the wanted ones, of which the pipeline and the device may support fewer.
  Result<Kernel> kernel(const std::string& name, std::uint64_t threads);
  /// A threadgroup computes a frame.
  Result<Kernel> wide_emissions(const std::string& name);
  /// A simdgroup computes a frame.
  Result<Kernel> by_frames(const std::string& name);

  Pipelines& pipelines_;
  const Limits& limits_;
  bool is_plain_;
  std::uint64_t classes_;
  std::uint64_t min_states_;
  std::string type_;
  FunctionConstants constants_;
};

/// The name of a function that a library has if it supports activations of this type.
std::string ctc_softmax_name(CtcPath path, const std::string& type);

}  // namespace assay::metal::host
