// The CTC loss and its gradient on a device; on the CPU where there is none.
//
//   activations [T, B, C], targets [B, S] or concatenated  ->  loss [B] or [1] float32, gradient [T, B, C]
//
//   const Result<CtcLoss> loss = CtcLoss::create(device);
//   const Result<void> done = (*loss)(problem, {losses, gradient});     // synchronous: spans in, spans out
//   const Result<CtcPlan> plan = loss->prepare(problem, true);          // asynchronous: plan.h
//
// Results are those of metal::ctc_loss (metal/cpu/ctc/loss.h), and so are refusals: a problem that is none, or an
// output of another size, throws std::invalid_argument with the same text, before anything is allocated or written.
// What a device cannot do comes back as an Error. The two cannot be taken for each other: devices have errors of
// Kind::argument too, and those are failures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>

#include "metal/cpu/ctc/loss.h"
#include "metal/device/device.h"
#include "metal/host/ctc/plan.h"
#include "metal/host/ctc/statement.h"
#include "metal/host/pipelines.h"

namespace assay::metal {

using host::CtcPath;

struct CtcOptions {
  CtcPath path = CtcPath::production;
  /// The most that emissions, alpha and beta may take; a batch that needs more is done in chunks of rows. 0: a quarter
  /// of what the device recommends as working set.
  std::uint64_t workspace_bytes = 0;
  /// Kernels are chosen as if rows had at least so many states: 257 for columns in threadgroup memory, 4096 for columns
  /// in device memory. For tests of those kernels on small problems.
  std::uint64_t min_states = 0;
  std::filesystem::path kernels = {};  ///< ctc.metal; empty: as installed, else of the source tree
};

/// May be called from several threads at once: calls allocate and encode one after the other, for an allocation makes
/// stale every encoder of the device. Whoever else allocates on the device, at the same time, does that to this one
/// too.
class CtcLoss {
 public:
  /// `device`: may be null, and the CPU then does everything. Errors: those of Device::new_library_from_file.
  static Result<CtcLoss> create(std::shared_ptr<Device> device, const CtcOptions& options = {});

  /// Of a library of the device's, in the place of options.kernels. Errors: argument, for one without the other.
  static Result<CtcLoss> create(std::shared_ptr<Device> device, std::shared_ptr<Library> library,
                                const CtcOptions& options = {});

  /// Whether the device does problems of this type, or the CPU: where there is no device, and for bfloat where the
  /// library has none, as before Metal 3.1.
  template <class Real>
  bool is_on_device() const;

  /// Writes every element of the outputs; nothing, on an error. Real: float, Half or BFloat16. Validates activations
  /// on the CPU. Errors: limit, for a row that the workspace does not hold and for extents above 2^32 - 1; those of
  /// the device, after what was being done. Throws std::invalid_argument: see above.
  template <class Real>
  Result<void> operator()(const reference::CtcProblem<Real>& problem, const CtcOutput<Real>& output) const;

  /// Tables, buffers and pipelines for this statement of a problem. Its activations are not looked at, not even their
  /// size; the caller answers for them. Errors and exceptions: as above; environment, where the problem is not done on
  /// the device.
  template <class Real>
  Result<CtcPlan> prepare(const reference::CtcProblem<Real>& problem, bool with_gradient) const;

  /// Compiles the kernels again where their file has changed, and says whether it had. Plans keep what they were made
  /// with. Without a device: false. Errors: compile, environment; the kernels then stay as they were.
  Result<bool> reload_if_changed() const;

 private:
  CtcLoss(std::shared_ptr<Device> device, std::shared_ptr<CommandQueue> queue,
          std::shared_ptr<host::Pipelines> pipelines, CtcOptions options)
      : device_(std::move(device)),
        queue_(std::move(queue)),
        pipelines_(std::move(pipelines)),
        options_(std::move(options)) {}

  /// Of a problem that is valid.
  template <class Real>
  Result<CtcPlan> plan(const reference::CtcProblem<Real>& problem, bool with_gradient) const;

  std::shared_ptr<Device> device_;  ///< may be null, as queue and pipelines then are
  std::shared_ptr<CommandQueue> queue_;
  std::shared_ptr<host::Pipelines> pipelines_;
  std::shared_ptr<std::mutex> mutex_ =
      std::make_shared<std::mutex>();  ///< held from the first allocation to the commit
  CtcOptions options_;
};

}  // namespace assay::metal
