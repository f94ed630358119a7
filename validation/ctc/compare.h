// Compares runs of CTC kernels.
#pragma once

#include <cstdint>
#include <span>

#include "validation/core/compare.h"
#include "validation/core/verdict.h"
#include "validation/ctc/bounds.h"
#include "validation/ctc/fields.h"
#include "validation/ctc/truth.h"

namespace assay::validation {

/// Bound on |gradient[t, b, k] - truth|; 0 where the element must be 0 or NaN.
double gradient_bound(const CtcCase& c, const CtcBounds& bounds, const CtcTruth& truth, std::int64_t t, std::int64_t b,
                      std::int64_t k);

/// The largest size of an element of row b's gradient: a softmax and a posterior lie in [0, 1].
double gradient_range(const CtcCase& c, std::int64_t b);

/// Compares each loss with the truth. Row b of the case is called first_row + b.
void compare_losses(Comparison& comparison, const CtcBounds& bounds, const CtcRun& run, const CtcTruth& truth,
                    std::int64_t first_row = 0);

/// Compares each element of the gradient with the truth. Row b of the case is called first_row + b. In each frame the
/// element of the most probable class has to be judged: that of the label, or of the blank, on the path.
void compare_gradient(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& run,
                      const CtcTruth& truth, std::int64_t first_row = 0);

/// Compares row b with what its only alignment, `path` [T_b], gives: loss -sum_t ln y_t(path_t), and dL/da = y -
/// onehot(path_t). The case has no reduction and no upstream. Marks the frames of which the loss notices the term, and
/// the labels of which the gradient notices the posterior.
void compare_single_alignment(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& run,
                              std::int64_t b, std::span<const std::int64_t> path);

/// Compares two gradients that should agree up to rounding, within `slack` times the bounds of `c`. In a row without an
/// alignment the gradients must be equal, or both NaN.
void compare_gradients(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& got,
                       const CtcRun& expected, double slack);

/// As above, for the runs of two problems with the same gradient: within the sum of both bounds.
void compare_gradients(Comparison& comparison, const CtcCase& c, const CtcBounds& of_got, const CtcRun& got,
                       const CtcBounds& of_expected, const CtcRun& expected);

}  // namespace assay::validation
