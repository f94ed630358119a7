#include "metal/cpu/cce/loss.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "metal/cpu/blas.h"
#include "metal/cpu/cce/output.h"
#include "metal/cpu/cce/run.h"
#include "metal/cpu/cce/tuning.h"

namespace assay::metal {

namespace cpu {

namespace {

using reference::CceProblem;
using reference::detail::expect_size;
using reference::detail::refuse;

template <class Real>
void validate_call(const CceProblem<Real>& problem, int threads) {
  reference::validate(problem);
  if (threads < 0) refuse("threads = ", threads, ": expected at least 0");
  if (problem.H > std::numeric_limits<int>::max())
    refuse("H = ", problem.H, ": expected at most ", std::numeric_limits<int>::max(), ", which the BLAS can count");
}

/// Calls use(call), where the call has the operand type that is multiplied fastest on this machine. `knows_lse`: the
/// call has no first pass.
template <class Real, class Use>
void with_call(const CceProblem<Real>& problem, const CceGradients<Real>& gradients, int threads,
               const CceTuning& tuning, bool knows_lse, const Use& use) {
  reference::detail::validate_bias(problem);
  const SerialBlas serial;
  if constexpr (std::is_same_v<Real, BFloat16>) {
    if (tuning.bfloat16_products && multiplies_bfloat16() && !few_tokens(2 * problem.N, tuning)) {
      CceCall<Real, BFloat16> call(problem, gradients, threads, tuning, knows_lse);
      return use(call);
    }
  }
  CceCall<Real, float> call(problem, gradients, threads, tuning, knows_lse);
  use(call);
}

template <class Call>
auto run_of(Call& call) {
  return []<class Real, class Operand>(CceCall<Real, Operand>& of) { return CceRun<Real, Operand>(of); }(call);
}

}  // namespace

template <class Real>
void cce_loss(const CceProblem<Real>& problem, const CceOutput<Real>& output, const CceCpuOptions& options,
              const CceTuning& tuning) {
  validate_call(problem, options.threads);
  validate_loss(problem, output.loss);
  validate_gradients(problem, output.gradients);
  with_call(problem, output.gradients, options.threads, tuning, false, [&](auto& call) {
    run_of(call).loss_and_gradients();
    write_loss(call, output.loss);
  });
}

template <class Real>
void cce_forward(const CceProblem<Real>& problem, std::span<float> loss, std::span<double> log_sum_exp,
                 const CceCpuOptions& options, const CceTuning& tuning) {
  validate_call(problem, options.threads);
  validate_loss(problem, loss);
  expect_size("log_sum_exp", log_sum_exp.size(), "N", problem.N);
  with_call(problem, {}, options.threads, tuning, false, [&](auto& call) {
    run_of(call).losses();
    write_loss(call, loss);
    std::ranges::fill(log_sum_exp, 0.0);
    for (const CceToken& token : call.tokens)
      log_sum_exp[static_cast<std::size_t>(token.n)] = token.lse + call.terms.offset;
  });
}

template <class Real>
void cce_backward(const CceProblem<Real>& problem, std::span<const double> log_sum_exp,
                  const CceGradients<Real>& gradients, const CceCpuOptions& options, const CceTuning& tuning) {
  validate_call(problem, options.threads);
  expect_size("log_sum_exp", log_sum_exp.size(), "N", problem.N);
  validate_gradients(problem, gradients);
  with_call(problem, gradients, options.threads, tuning, true,
            [&](auto& call) { run_of(call).gradients(log_sum_exp); });
}

}  // namespace cpu

template <class Real>
void cce_loss(const reference::CceProblem<Real>& problem, const CceOutput<Real>& output, const CceCpuOptions& options) {
  cpu::cce_loss(problem, output, options, cpu::CceTuning{});
}

template <class Real>
void cce_forward(const reference::CceProblem<Real>& problem, std::span<float> loss, std::span<double> log_sum_exp,
                 const CceCpuOptions& options) {
  cpu::cce_forward(problem, loss, log_sum_exp, options, cpu::CceTuning{});
}

template <class Real>
void cce_backward(const reference::CceProblem<Real>& problem, std::span<const double> log_sum_exp,
                  const CceGradients<Real>& gradients, const CceCpuOptions& options) {
  cpu::cce_backward(problem, log_sum_exp, gradients, options, cpu::CceTuning{});
}

#define ASSAY_INSTANTIATE_CCE(Real)                                                                                  \
  template void cce_loss(const reference::CceProblem<Real>&, const CceOutput<Real>&, const CceCpuOptions&);          \
  template void cce_forward(const reference::CceProblem<Real>&, std::span<float>, std::span<double>,                 \
                            const CceCpuOptions&);                                                                   \
  template void cce_backward(const reference::CceProblem<Real>&, std::span<const double>, const CceGradients<Real>&, \
                             const CceCpuOptions&);                                                                  \
  template void cpu::cce_loss(const reference::CceProblem<Real>&, const CceOutput<Real>&, const CceCpuOptions&,      \
                              const CceTuning&);                                                                     \
  template void cpu::cce_forward(const reference::CceProblem<Real>&, std::span<float>, std::span<double>,            \
                                 const CceCpuOptions&, const CceTuning&);                                            \
  template void cpu::cce_backward(const reference::CceProblem<Real>&, std::span<const double>,                       \
                                  const CceGradients<Real>&, const CceCpuOptions&, const CceTuning&);
ASSAY_INSTANTIATE_CCE(float)
ASSAY_INSTANTIATE_CCE(Half)
ASSAY_INSTANTIATE_CCE(BFloat16)
#undef ASSAY_INSTANTIATE_CCE

}  // namespace assay::metal
