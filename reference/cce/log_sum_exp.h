// lse = ln sum_v exp x_v, one x after the other or part by part (Milakov & Gimelshein 2018, "Online normalizer
// calculation for softmax", algorithm 3 and equation 4; of whole chunks of a vocabulary, Wijmans et al. 2024, "Cut Your
// Losses in Large-Vocabulary Language Models", section 4).
//
//   sum_v exp x_v = exp(max) (1 + others)
//   (m, a) merged with (n, b), m >= n:  max = m,   others = a + (1 + b) exp(n - m)
//
// The 1 is the largest exponential. It is kept apart from the sum of the others because the loss of a token that is
// nearly certain is log1p(others), however far below the rounding of 1.
//
// Merging is associative and commutative with `OnlineSum{}` as its neutral element, for it is the addition of the
// numbers exp(max) (1 + others). All that this needs of exp is exp(a) exp(b) = exp(a + b), exp(0) = 1 and that it
// grows: over BinaryWeight, where exp(k) = 2^k, it holds exactly, digit for digit. Over Ball, all results enclose the
// one truth.
//
// Over a floating point of unit roundoff u, whose exp and log1p are within one unit in the last place, for V finite x
// of which each takes part in at most k additions and mergings (k < V, whatever the order), to first order
//
//   |error of lse| <= (5 k + 3 ln V + 4) u + u |lse|
//
// In each step a summand meets an exp (2 roundings), a product and two sums; the differences of maxima by which the
// summand is scaled add up to max - x_v, with sum_v p_v (max - x_v) <= ln V; log1p(others) <= ln V is good to 2 u, and
// the last sum to u |lse|. What underflows is below V times the smallest subnormal. The results of two orders differ by
// at most twice that.
#pragma once

#include <span>
#include <utility>

#include "reference/number/traits.h"

namespace assay::reference {

/// The sum of exp x over the x seen so far. `Weight` is what exponentials are: a number, a LogNumber, an Extended, a
/// BinaryWeight; its Scalar is what x is.
template <class Weight>
struct OnlineSum {
  using Scalar = typename NumberTraits<Weight>::Scalar;

  bool empty = true;  ///< no x, or none above -inf: the sum is 0
  Scalar max{};       ///< of the x; over Ball one that is not certainly below another
  Weight others{0};   ///< sum of exp(x - max) over all x but the largest

  /// ln of the sum; -inf of none.
  Scalar log() const {
    using Traits = NumberTraits<Weight>;
    if (empty) return -NumberTraits<Scalar>::infinity();
    if constexpr (requires { Traits::log1p(others); }) {
      return max + Traits::log1p(others);
    } else {
      return max + Traits::log(Weight(1) + others);
    }
  }

  bool operator==(const OnlineSum&) const = default;
};

/// The sum over the x of both. merge(a, b) and merge(b, a) have the same bits.
template <class Weight>
OnlineSum<Weight> merge(OnlineSum<Weight> a, OnlineSum<Weight> b) {
  if (a.empty) return b;
  if (b.empty) return a;
  if (a.max < b.max) std::swap(a, b);
  b.max -= a.max;
  const Weight scale = NumberTraits<Weight>::exp(b.max);
  b.others *= scale;
  a.others += b.others;
  a.others += scale;
  return a;
}

/// The sum with one x more; -inf adds nothing.
template <class Weight>
void add(OnlineSum<Weight>& sum, const typename OnlineSum<Weight>::Scalar& x) {
  if (is_minus_infinity(x)) return;
  sum = merge(std::move(sum), OnlineSum<Weight>{false, x, Weight(0)});
}

/// The sum of exp x over x [V], in their order.
template <class Weight>
OnlineSum<Weight> online_sum(std::span<const typename NumberTraits<Weight>::Scalar> x) {
  OnlineSum<Weight> sum;
  for (const auto& element : x) add(sum, element);
  return sum;
}

}  // namespace assay::reference
