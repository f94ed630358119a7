#include "metal/cpu/svd/svd.h"

#include <cstddef>
#include <vector>

#include "metal/cpu/blas.h"
#include "metal/cpu/memory.h"
#include "metal/cpu/svd/call.h"
#include "metal/cpu/svd/single.h"
#include "metal/cpu/svd/tuning.h"

namespace assay::metal {

namespace cpu {

namespace {

using reference::SingularValue;
using reference::SvdProblem;

template <class T>
bool takes_lanes(const SvdBatch<T>& batch, SvdMethod method) {
  if (batch.n > svd_lanes<T>) return false;
  return method == SvdMethod::lanes || (method == SvdMethod::automatic && batch.m <= 16 * svd_lanes<T>);
}

/// Decomposes many small matrices side by side in lanes, for SvdCall::run.
template <class T>
class LanesRun {
 public:
  LanesRun(const SvdBatch<T>& batch, const SvdKernels<T>& kernels, std::size_t workers)
      : batch_(batch), kernels_(kernels) {
    for (std::size_t worker = 0; worker < workers; ++worker) blocks_.emplace_back(batch.elements_in_turns());
  }

  SvdTrouble operator()(std::size_t worker, const SvdMatrix<T>& first, std::int64_t count) const {
    SvdBatch<T> batch = batch_;
    batch.A = first.A;
    batch.U = first.U;
    batch.S = first.S;
    batch.Vh = first.Vh;
    return kernels_.batch(batch, blocks_[worker].data(), 0, count);
  }

 private:
  const SvdBatch<T>& batch_;
  const SvdKernels<T>& kernels_;
  std::vector<AlignedMemory<T>> blocks_;
};

}  // namespace

template <class Real>
void svd(const SvdProblem<Real>& problem, const SvdOutput<Real>& output, const SvdCpuOptions& options,
         const SvdTuning& tuning) {
  using T = SingularValue<Real>;
  validate_svd_call(problem, output, problem.K(), options.threads);
  if (problem.B == 0 || problem.K() == 0) return;
  const SvdBatch<T> batch(problem.M, problem.N, !output.U.empty(), tuning.sweep_limit);
  if (takes_lanes(batch, tuning.method)) {
    SvdCall<Real> call(problem, output, problem.K(), options.threads, batch.matrices_in_turns());
    return call.run(LanesRun<T>(batch, svd_kernels<T>(tuning.set), call.workers()), tuning.sweep_limit);
  }
  const SerialBlas serial;
  SvdCall<Real> call(problem, output, problem.K(), options.threads, 1);
  call.run([&](std::size_t, const SvdMatrix<T>& matrix,
               std::int64_t) { return trouble(decompose(matrix, tuning, call.threads_of_matrix())); },
           tuning.sweep_limit);
}

}  // namespace cpu

template <class Real>
void svd(const reference::SvdProblem<Real>& problem, const SvdOutput<Real>& output, const SvdCpuOptions& options) {
  cpu::svd(problem, output, options, cpu::SvdTuning{});
}

#define ASSAY_INSTANTIATE_SVD(Real)                                                                        \
  template void cpu::svd(const reference::SvdProblem<Real>&, const SvdOutput<Real>&, const SvdCpuOptions&, \
                         const SvdTuning&);                                                                \
  template void svd(const reference::SvdProblem<Real>&, const SvdOutput<Real>&, const SvdCpuOptions&);
ASSAY_INSTANTIATE_SVD(float)
ASSAY_INSTANTIATE_SVD(double)
ASSAY_INSTANTIATE_SVD(Half)
ASSAY_INSTANTIATE_SVD(BFloat16)
#undef ASSAY_INSTANTIATE_SVD

}  // namespace assay::metal
