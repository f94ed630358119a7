// Linear cross-entropy and its gradients on a device, without ever holding the [N, V] logits; on the CPU where there is
// no device.
//
//   hidden [N, H], weight [V, H], bias [V] or none, targets [N]  ->  loss [N] or [1] float32,
//                                                                   dhidden [N, H], dweight [V, H], dbias [V]
//
//   const Result<LinearCrossEntropy> loss = LinearCrossEntropy::create(device);
//   const Result<void> done = (*loss)(problem, {losses, {dhidden, dweight, {}}});     // spans in, spans out
//
// Results are those of metal::cce_loss (metal/cpu/cce/loss.h), and so are refusals: a problem that is none, or an
// output of another size, throws std::invalid_argument with the same text, before anything is allocated or written.
// What a device cannot do comes back as an Error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>

#include "metal/cpu/cce/loss.h"
#include "metal/device/device.h"
#include "metal/host/cce/run.h"
#include "metal/host/cce/statement.h"
#include "metal/host/pipelines.h"

namespace assay::metal {

using host::CcePath;

struct CceOptions {
  CcePath path = CcePath::production;
  /// What sums of gradients, and logits on the plain path, may take: chunks of tokens and entries are as large as that
  /// allows (metal/host/cce/budget.h). 0: a quarter of what the device has left.
  std::uint64_t workspace_bytes = 0;
  /// Tokens or entries of a chunk, instead: a multiple of 32. 0: as above. Results of the production path do not depend
  /// on it, not in one bit; those of the plain path do, in their last digits.
  std::uint64_t chunk = 0;
  /// Leaves out of the gradients those tiles in which no softmax is above a sixteenth of the type's unit roundoff,
  /// 2^-28 of float, 2^-15 of half, 2^-12 of bfloat. Faster, and no longer within the rounding of the result: what is
  /// left out adds up over a vocabulary. The production path alone, and not with label_smoothing.
  bool skips_tiles = false;
  std::filesystem::path kernels = {};  ///< cce.metal; empty: as installed, else of the source tree
};

/// May be called from several threads at once: calls allocate and encode one after the other, for an allocation makes
/// stale every encoder of the device. Whoever else allocates on the device, at the same time, does that to this one
/// too.
class LinearCrossEntropy {
 public:
  /// `device`: may be null, and the CPU then does everything. Errors: argument, for a chunk that is no multiple of 32;
  /// those of Device::new_library_from_file.
  static Result<LinearCrossEntropy> create(std::shared_ptr<Device> device, const CceOptions& options = {});

  /// Of a library of the device's, in the place of options.kernels. Errors: argument, for one without the other too.
  static Result<LinearCrossEntropy> create(std::shared_ptr<Device> device, std::shared_ptr<Library> library,
                                           const CceOptions& options = {});

  /// Whether the device does problems of this type, or the CPU: where there is no device, and for bfloat where the
  /// library has none, as before Metal 3.1.
  template <class Real>
  bool is_on_device() const;

  /// Losses and gradients. Writes every element of the outputs; nothing, on an error. Real: float, Half or BFloat16.
  /// Errors: limit, for N or V above 2^29; those of the device, after what was being done. Throws
  /// std::invalid_argument: see above.
  template <class Real>
  Result<void> operator()(const reference::CceProblem<Real>& problem, const CceOutput<Real>& output) const;

  /// The first half: losses, and the lse of each token, [N], for `backward`; 0 for one that is ignored.
  template <class Real>
  Result<void> forward(const reference::CceProblem<Real>& problem, std::span<float> loss,
                       std::span<double> log_sum_exp) const;

  /// The second half.
  template <class Real>
  Result<void> backward(const reference::CceProblem<Real>& problem, std::span<const double> log_sum_exp,
                        const CceGradients<Real>& gradients) const;

  /// Compiles the kernels again where their file has changed, and says whether it had. Without a device: false.
  /// Errors: compile, environment; the kernels then stay as they were.
  Result<bool> reload_if_changed() const;

 private:
  LinearCrossEntropy(std::shared_ptr<Device> device, std::shared_ptr<CommandQueue> queue,
                     std::shared_ptr<host::Pipelines> pipelines, CceOptions options)
      : device_(std::move(device)),
        queue_(std::move(queue)),
        pipelines_(std::move(pipelines)),
        options_(std::move(options)) {}

  /// What the device makes of a valid problem, waited for.
  template <class Real>
  Result<host::CceResults> compute(const reference::CceProblem<Real>& problem, const host::CceWork& work,
                                   std::span<const double> log_sum_exp) const;

  std::shared_ptr<Device> device_;  ///< may be null, as queue and pipelines then are
  std::shared_ptr<CommandQueue> queue_;
  std::shared_ptr<host::Pipelines> pipelines_;
  std::shared_ptr<std::mutex> mutex_ =
      std::make_shared<std::mutex>();  ///< held from the first allocation to the commit
  CceOptions options_;
};

}  // namespace assay::metal
