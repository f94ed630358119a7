// Arithmetic on logarithms as Eesen's kernels name it: AddAB multiplies, LogAPlusB adds, ln 0 = -inf absorbs.
#pragma once

#include "reference/number/traits.h"

namespace assay::reference::eesen {

template <class Number>
bool is_log_zero(const Number& x) {
  return !NumberTraits<Number>::is_finite(x) && x < Number(0);
}

template <class Number>
Number log_zero() {
  return -NumberTraits<Number>::infinity();
}

/// ln(e^a e^b).
template <class Number>
Number add_ab(const Number& a, const Number& b) {
  return is_log_zero(a) || is_log_zero(b) ? log_zero<Number>() : Number(a + b);
}

/// ln(e^a + e^b) = a + ln(1 + e^(b - a)) for b <= a.
template <class Number>
Number log_a_plus_b(const Number& a, const Number& b) {
  using Traits = NumberTraits<Number>;
  if (a < b) return log_a_plus_b(b, a);
  if (is_log_zero(b)) return a;
  return a + Traits::log1p(Traits::exp(Number(b - a)));
}

}  // namespace assay::reference::eesen
