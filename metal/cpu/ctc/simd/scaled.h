// The forward and the backward recursion (Graves et al. 2006, eqs. 6 to 11) in doubles, eight states at a time.
//
// Blanks and labels are kept apart, so that a frame is a handful of loads, multiplications and additions. With state 2i
// the blank before label i, state 2i + 1 the label, and skip(i) = 1 where label i differs from the one before it:
//
//   alpha_blank(t, i) = y(t, blank) (alpha_blank(t-1, i) + alpha_label(t-1, i-1))
//   alpha_label(t, i) = y(t, l_i)   (alpha_label(t-1, i) + alpha_blank(t-1, i) + skip(i) alpha_label(t-1, i-1))
//   beta_blank(t, i)  = next_blank(t, i) + next_label(t, i)                            next(t) = y(t+1) beta(t+1)
//   beta_label(t, i)  = next_label(t, i) + next_blank(t, i+1) + skip(i+1) next_label(t, i+1)
//   N(t, c)           = sum of alpha(t, .) beta(t, .) over the states of class c; p = sum of N(t, c) over c
//
// Rows are multiplied by a power of two, exactly, when their largest element leaves [2^-100, 2^100]. The recursion
// loses only what underflows. metal/cpu/ctc/README.md shows that this is less than 2^-290 of p where all of these hold;
// only then is the result called certain:
//
// - every y is 0 or in [2^-300, 2^100];
//   - every alpha is 0 or at least 2^-400 (then none ever underflowed); or what underflowed, at most 2^-1020 of a row's
//     unit at each state, times a bound on all that can follow it, is below 2^-300 p;
//   - the sum of N(t, .) is at least 2^-400 at each frame (then no beta that underflowed, times an alpha, counts).
#pragma once

#include "metal/cpu/ctc/simd/scaled_backward.h"
#include "metal/cpu/ctc/simd/scaled_forward.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// -ln p, computed from p itself where p is a double, so that nothing cancels near p = 1.
inline double negative_log(Probability p) {
  if (p.power == 0.0) return -__builtin_log(p.fraction);
  const int e = exponent(p.fraction);
  return -(__builtin_log(p.fraction * power_of_two(-e)) + (p.power + e) * ln2);
}

template <bool few, class Real>
ScaledResult scaled(const Row<Real>& row, const Scaled& problem, const States& states) {
  const Probability p = forward<few>(problem, row.problem.input == reference::CtcInput::logits);
  if (!p.certain) return {};
  if (p.fraction == 0.0) return {__builtin_inf(), true, true};
  if (row.gradient.data() == nullptr || problem.T == 0) return {negative_log(p), true, true};
  return {negative_log(p), true, backward<few>(row, problem, states)};
}

template <class Real>
ScaledResult scaled(const Row<Real>& row, const RowWorkspace& workspace, const States& states) {
  const std::size_t T = row.T(), S = row.labels.size();
  const bool gradient = row.gradient.data() != nullptr;
  Arena arena(workspace.cells.data());
  const Scaled problem = {T,
                          S,
                          states.classes.size(),
                          states.slots.data()[0],
                          gradient ? ~std::size_t{0} : 1,
                          workspace.emissions.data(),
                          workspace.normalizers.data(),
                          take_scaled(arena, T, S, states.classes.size(), kept_rows(T, gradient))};
  expand(problem, states);
  if (!emissions_in_range(row, problem, states, workspace)) return {};
  return problem.K <= few_classes ? scaled<true>(row, problem, states) : scaled<false>(row, problem, states);
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
