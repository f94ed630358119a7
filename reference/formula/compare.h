// The operations by which a formula decides: comparisons (1 or 0), extremes, signs, choices and shares among ties.
//
// Where balls overlap a comparison is the ball [0, 1], a choice the union of both values, and a share is in [0, 1]: so
// enclosures stay enclosures, and those of a gradient are narrow wherever the undecided share cancels.
#pragma once

#include "reference/formula/graph.h"
#include "reference/number/ball.h"
#include "reference/number/traits.h"

namespace assay::reference::formula::detail {

template <class Number>
Number larger(const Number& a, const Number& b) {
  if (NumberTraits<Number>::is_nan(a)) return a;
  return a < b || NumberTraits<Number>::is_nan(b) ? b : a;
}

/// less, less_equal or equal; 0 where either is NaN, but for less_equal and equal, which ask for the opposite.
template <class Number>
Number comparison(Op op, const Number& a, const Number& b) {
  if (op == Op::less) return Number(a < b ? 1 : 0);
  if (op == Op::less_equal) return Number(b < a ? 0 : 1);
  return Number(a < b || b < a ? 0 : 1);
}

template <class Number>
Number sign(const Number& x) {
  if (NumberTraits<Number>::is_nan(x)) return x;
  if (Number(0) < x) return Number(1);
  return x < Number(0) ? Number(-1) : Number(0);
}

/// a where the condition is above 0, else b.
template <class Number>
Number chosen(const Number& condition, const Number& a, const Number& b) {
  return Number(0) < condition ? a : b;
}

/// The share of a where the smaller one takes all: 1, 0, or 1/2 at a tie.
template <class Number>
Number share_of_smaller(const Number& a, const Number& b) {
  return (comparison<Number>(Op::less_equal, a, b) + comparison<Number>(Op::less, a, b)) / Number(2);
}

/// a, b or their mean, for a share of 1, 0 or 1/2.
template <class Number>
Number chosen_by_share(const Number& share, const Number& a, const Number& b) {
  return (chosen<Number>(share, a, b) + chosen<Number>(share - Number(1) / Number(2), a, b)) / Number(2);
}

/// a / b, which is known to lie in [0, 1].
template <class Number>
Number share(const Number& a, const Number& b) {
  return a / b;
}

#if ASSAY_HAVE_CERTIFIED
inline Ball unit_interval() {
  Ball result;
  arb_unit_interval(result.data());
  return result;
}

template <>
inline Ball larger<Ball>(const Ball& a, const Ball& b) {
  Ball result;
  arb_max(result.data(), a.data(), b.data(), precision_bits() + guard_bits);
  return result;
}

template <>
inline Ball comparison<Ball>(Op op, const Ball& a, const Ball& b) {
  const auto decided = [&](int yes, int no) { return yes != 0 ? Ball(1) : no != 0 ? Ball(0) : unit_interval(); };
  if (op == Op::less) return decided(arb_lt(a.data(), b.data()), arb_ge(a.data(), b.data()));
  if (op == Op::less_equal) return decided(arb_le(a.data(), b.data()), arb_gt(a.data(), b.data()));
  return decided(arb_eq(a.data(), b.data()), arb_ne(a.data(), b.data()));
}

template <>
inline Ball sign<Ball>(const Ball& x) {
  Ball result;
  arb_sgn(result.data(), x.data());
  return result;
}

template <>
inline Ball chosen<Ball>(const Ball& condition, const Ball& a, const Ball& b) {
  if (arb_is_positive(condition.data()) != 0) return a;
  if (arb_is_nonpositive(condition.data()) != 0) return b;
  Ball result;
  arb_union(result.data(), a.data(), b.data(), precision_bits() + guard_bits);
  return result;
}

template <>
inline Ball share<Ball>(const Ball& a, const Ball& b) {
  return arb_contains_zero(b.data()) != 0 ? unit_interval() : a / b;
}
#endif

}  // namespace assay::reference::formula::detail
