// How far ctc_loss can be off, counted from its operations. Valid for activations with |a| <= 2^30, or -inf.
//
// Every value inside is a sum or product of non-negative numbers, each operation rounded once with a relative error of
// at most u = 2^-53, and none under- or overflows (extended_range.h), or what underflows is known not to matter
// (metal/cpu/ctc/simd/scaled.h). A result of n such operations in sequence is therefore the exact one times (1 + d)
// with |d| <= gamma(n) = n u / (1 - n u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., lemma 3.1),
// whatever the data. What counts is the longest sequence:
//
//   exp(a)        x                       3 (metal/cpu/simd/exponential.h); 4 in extended range (exponential.h)
//   Z             x + n, n = min(C, C/8 + 8)   its terms, their sum over 8 lanes
//   y             logits:    x + (x + n) + 2   the division 1 / Z, the product     log_probs: x
//   alpha(t)      y + 3 for each frame    two sums, one product; scaling by powers of two is exact
//   p             T (y + 3) + 1           |ln(1 + d)| <= gamma / (1 - gamma) is absolute in the loss
//   -ln p         7 u |loss|              the logarithm of the mantissa, the exponent times ln 2, their sum
//
// The numerator and the denominator of the posterior hold the same factor 1 / Z of each frame, which is computed once.
// It cancels together with its error, so an emission counts as e = x + 1 from logits, x from log_probs.
//
//   alpha beta    T (e + 3)               each frame's y once; two sums and a product to reach it
//   N(t, c)       T (e + 3) + S           the states of one class, at most S + 1
//   sum of N      T (e + 3) + 2S          all states
//   posterior     2 T (e + 3) + 3S + 2    the division; what underflows is below 2^-290 (metal/cpu/ctc/README.md)
//   gradient      5 more                  the weight (3), the difference, their product; then float32
//
// Hence, with y, posterior, gradient and loss the exact values, u32 = 2^-24, and 2^-150 for the underflow of float32:
//
//   |error of the loss|      <= gamma/(1 - gamma) + (7 u + u32) |loss| + 2^-150
//   |error of the gradient|  <= |weight| (y gamma_y + posterior gamma_posterior + 2^-290) + u32 |gradient| + 2^-150
//
// times 1 + 2 u32 for the float32 rounding of what is already off. With respect to log_probs the term of y is absent.
// A reduced loss adds (B + 2) u times the sum of |weight * loss|, and each row's bound times its weight.
//
// At T = 2000, S = 400 from logits: gamma_posterior = 3.7e-12, so the float32 rounding is nearly all of the error.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "reference/ctc/problem.h"

namespace assay::metal {

/// Bounds on the relative errors inside one row of T frames, C classes and S labels.
struct CtcErrorBound {
  static constexpr double u = 0x1p-53;
  static constexpr double u32 = 0x1p-24;

  double emission;     ///< of y
  double probability;  ///< of p
  double posterior;    ///< of a posterior

  CtcErrorBound(std::int64_t T, std::int64_t C, std::int64_t S, reference::CtcInput input) {
    const bool logits = input == reference::CtcInput::logits;
    const double exponential = 4.0, weighting = 5.0;
    const double y = logits ? 2.0 * exponential + static_cast<double>(std::min(C, C / 8 + 8)) + 2.0 : exponential;
    const double e = logits ? exponential + 1.0 : exponential;
    const auto frames = static_cast<double>(T), labels = static_cast<double>(S);
    emission = gamma(y + weighting);
    probability = gamma(frames * (y + 3.0) + 1.0);
    posterior = gamma(2.0 * frames * (e + 3.0) + 3.0 * labels + 2.0 + weighting);
  }

  /// The bound on a row's loss, before any reduction.
  double loss(double loss) const {
    const double inside = probability / (1.0 - probability) + 7.0 * u * std::fabs(loss);
    return rounded(inside, loss);
  }

  /// The bound on one element of the gradient; y is 0 with respect to log_probs.
  double gradient(double weight, double y, double posterior_probability) const {
    const double inside = y * emission + posterior_probability * posterior + 0x1p-290;
    return rounded(std::fabs(weight) * inside, weight * (y - posterior_probability));
  }

 private:
  /// n operations with a relative error of u each.
  static constexpr double gamma(double n) { return n * u / (1.0 - n * u); }

  /// The error of a value that is off by `inside` before it is rounded to float32.
  static double rounded(double inside, double value) {
    return (inside + u32 * std::fabs(value)) * (1.0 + 2.0 * u32) + 0x1p-150;
  }
};

}  // namespace assay::metal
