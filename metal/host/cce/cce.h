// Linear cross-entropy and its gradients on a device, holding the [N, V] logits a chunk at a time; on the CPU if there
// is no device.
//
//   hidden [N, H], weight [V, H], bias [V] or none, targets [N]  ->  loss [N] or [1] float32,
//                                                                   dhidden [N, H], dweight [V, H], dbias [V]
//
//   const Result<LinearCrossEntropy> loss = LinearCrossEntropy::create(device);
//   const Result<void> done = (*loss)(problem, {losses, {dhidden, dweight, {}}});        // synchronous, on spans
//   const Result<CcePlan> plan = loss->prepare(problem, {true, true, true, false});      // asynchronous: plan.h
//
// Results and refusals are those of metal::cce_loss (metal/cpu/cce/loss.h): an invalid problem or an output of the
// wrong size throws std::invalid_argument with the same text, before anything is allocated or written. What a device
// cannot do is returned as an Error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "metal/cpu/cce/loss.h"
#include "metal/device/device.h"
#include "metal/host/cce/plan.h"
#include "metal/host/cce/run.h"
#include "metal/host/cce/statement.h"
#include "metal/host/operation.h"

namespace assay::metal {

using host::CcePath;
using host::CceWork;

struct CceOptions {
  CcePath path = CcePath::production;
  /// Bytes that the logits of a chunk may take, and on the plain path the sums of gradients. Chunks are as large as
  /// this allows (metal/host/cce/budget.h). 0: a quarter of what the device has left, and at most 64 MiB on the
  /// production path.
  std::uint64_t workspace_bytes = 0;
  /// The number of tokens in a chunk, on the plain path also of entries: a multiple of 32. 0: as workspace_bytes
  /// allows. The results of the production path are the same bits for any chunk; those of the plain path differ in
  /// their last digits.
  std::uint64_t chunk = 0;
  /// Work of a command buffer, by which the production path limits a chunk too: metal/host/work.h. Its results do not
  /// depend on it.
  std::uint64_t max_work = host::default_max_work;
  std::filesystem::path kernels = {};  ///< cce.metal; empty: the installed file, else that of the source tree
};

class LinearCrossEntropy : public host::Operation<LinearCrossEntropy, CceOptions> {
 public:
  static constexpr const char* kernel_file = "cce/cce.metal";
  /// Errors: argument, for a chunk that is not a multiple of 32.
  static Result<void> check(const CceOptions& options);
  std::string bfloat_kernel() const;

  /// Losses and gradients. Writes every element of the outputs, or nothing on an error. Real: float, Half or BFloat16.
  /// Errors: limit, for N or V above 2^29; those of the device, preceded by the step that failed. Throws
  /// std::invalid_argument: see above.
  template <class Real>
  Result<void> operator()(const reference::CceProblem<Real>& problem, const CceOutput<Real>& output) const;

  /// The first half: the losses, and for `backward` the lse of each token, [N]; 0 for an ignored token.
  template <class Real>
  Result<void> forward(const reference::CceProblem<Real>& problem, std::span<float> loss,
                       std::span<double> log_sum_exp) const;

  /// The second half.
  template <class Real>
  Result<void> backward(const reference::CceProblem<Real>& problem, std::span<const double> log_sum_exp,
                        const CceGradients<Real>& gradients) const;

  /// Prepares tables, buffers and pipelines for problems with these extents, targets and options: plan.h. It reads
  /// the arrays targets, upstream and bias, and ignores the others, which must be valid when they are encoded. Errors
  /// and exceptions: as above; environment, if the device does not support the type; argument, for dbias without bias.
  template <class Real>
  Result<CcePlan> prepare(const reference::CceProblem<Real>& problem, const CceWork& work) const;

  using Operation::Operation;

 private:
  /// The plan of a valid problem.
  template <class Real>
  Result<CcePlan> plan(const reference::CceProblem<Real>& problem, const host::CceTables& tables,
                       const CceWork& work) const;

  /// The device's results for a valid problem. Returns when they are complete.
  template <class Real>
  Result<host::CceResults> compute(const reference::CceProblem<Real>& problem, const CceWork& work,
                                   std::span<const double> log_sum_exp) const;
};

}  // namespace assay::metal
