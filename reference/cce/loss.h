// The loss of one token from its capped logits x [V], of target t:
//
//   lse - x_v = (max - x_v) + ln(1 + others)                                  both at least 0, log_sum_exp.h
//   loss = on_target (lse - x_t) + on_each sum_v (lse - x_v) + on_square lse^2                terms.h
//
// So the loss has the relative digits of its exponentials, also where it is 1e-300. It is +inf where an entry that the
// smoothed target expects, t or with label smoothing any, has x_v = -inf.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/cce/log_sum_exp.h"
#include "reference/cce/logits.h"
#include "reference/cce/terms.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// `sum` is that of exp x.
template <class Number>
Number loss(std::span<const Number> x, std::int64_t t, const OnlineSum<Number>& sum, const CceTerms<Number>& terms) {
  using Traits = NumberTraits<Number>;
  const Number& x_t = x[static_cast<std::size_t>(t)];
  const Number log_sum = Traits::log1p(sum.others);
  const bool hard = !Traits::is_zero(terms.on_target), smooth = !Traits::is_zero(terms.on_each);
  if ((hard && is_minus_infinity(x_t)) || (smooth && std::any_of(x.begin(), x.end(), is_minus_infinity<Number>)))
    return Traits::infinity();
  Number result(0);
  if (hard) result += terms.on_target * (sum.max - x_t + log_sum);
  if (smooth) {
    Number gaps = Number(static_cast<std::int64_t>(x.size())) * log_sum;
    for (const Number& x_v : x) gaps += sum.max - x_v;
    result += terms.on_each * gaps;
  }
  const Number lse = sum.log();
  result += terms.on_square * lse * lse;
  return result;
}

}  // namespace assay::reference
