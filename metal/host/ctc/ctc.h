// The CTC loss and its gradient on a device; on the CPU if there is no device.
//
//   activations [T, B, C], targets [B, S] or concatenated  ->  loss [B] or [1] float32, gradient [T, B, C]
//
//   const Result<CtcLoss> loss = CtcLoss::create(device);
//   const Result<void> done = (*loss)(problem, {losses, gradient});     // synchronous: spans in, spans out
//   const Result<CtcPlan> plan = loss->prepare(problem, true);          // asynchronous: plan.h
//
// Results and refusals are those of metal::ctc_loss (metal/cpu/ctc/loss.h): an invalid problem or an output of the
// wrong size throws std::invalid_argument with the same text, before anything is allocated or written. What a device
// cannot do is returned as an Error. So an Error is always a failure and never a refusal, also if it is of
// Kind::argument.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "metal/cpu/ctc/loss.h"
#include "metal/device/device.h"
#include "metal/host/ctc/plan.h"
#include "metal/host/ctc/statement.h"
#include "metal/host/operation.h"

namespace assay::metal {

using host::CtcPath;

struct CtcOptions {
  CtcPath path = CtcPath::production;
  /// Bytes that emissions, alpha and beta may take. A batch that needs more is computed in chunks of rows. 0: a quarter
  /// of the working set that the device recommends.
  std::uint64_t workspace_bytes = 0;
  /// Selects kernels as if every row had at least this many states: 8193 for states in device memory. For tests of
  /// these kernels on small problems.
  std::uint64_t min_states = 0;
  /// Work of a command buffer: metal/host/work.h. Results do not depend on it.
  std::uint64_t max_work = host::default_max_work;
  std::filesystem::path kernels = {};  ///< ctc.metal; empty: the installed file, else that of the source tree
};

class CtcLoss : public host::Operation<CtcLoss, CtcOptions> {
 public:
  static constexpr const char* kernel_file = "ctc/ctc.metal";
  static Result<void> check(const CtcOptions&) { return {}; }
  std::string bfloat_kernel() const;

  /// Writes every element of the outputs, or nothing on an error. Real: float, Half or BFloat16. Validates activations
  /// on the CPU. Errors: limit, for a row that does not fit in the workspace and for extents above 2^32 - 1; those of
  /// the device, preceded by the step that failed. Throws std::invalid_argument: see above.
  template <class Real>
  Result<void> operator()(const reference::CtcProblem<Real>& problem, const CtcOutput<Real>& output) const;

  /// Prepares tables, buffers and pipelines for problems with these lengths, labels and options. Ignores the
  /// activations; those that are encoded later must be valid. Errors and exceptions: as above; environment, if the
  /// device does not support the type.
  template <class Real>
  Result<CtcPlan> prepare(const reference::CtcProblem<Real>& problem, bool with_gradient) const;

  using Operation::Operation;

 private:
  /// The plan of a valid problem.
  template <class Real>
  Result<CtcPlan> plan(const reference::CtcProblem<Real>& problem, bool with_gradient) const;
};

}  // namespace assay::metal
