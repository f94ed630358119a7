// x = cap tanh(z / cap) and dx/dz = 1 - tanh^2(z / cap): the soft cap on logits of Gemma 2 (Gemma Team 2024, "Gemma 2:
// Improving Open Language Models at a Practical Size", section 2).
//
// With r = |z / cap| and e = exp(-2 r), in [0, 1],
//
//   tanh r = (1 - e) / (1 + e) = -m / (2 + m),   m = e - 1 = expm1(-2 r)      no digit is lost where r is small
//   1 - tanh^2 r = 4 e / (1 + e)^2                                            nor where r is large
//
// and nothing overflows. Over a floating point whose exp and expm1 are within one unit in the last place, to first
// order in u: |error of x| <= 9 u |x|, and the relative error of dx/dz is at most (8 + 2 r) u.
#pragma once

#include "reference/number/traits.h"

namespace assay::reference {

template <class Number>
struct Capped {
  Number value;       ///< x
  Number derivative;  ///< dx/dz
};

/// A cap of 0 or +inf is none: x = z. A logit of -inf under a cap is -cap, of derivative 0.
template <class Number>
Capped<Number> softcap(const Number& z, const Number& cap) {
  using Traits = NumberTraits<Number>;
  if (Traits::is_zero(cap) || !Traits::is_finite(cap)) return {z, Number(1)};
  if (is_minus_infinity(z)) return {-cap, Number(0)};
  const Number ratio = z / cap;
  const bool negative = ratio < Number(0);
  Number exponent = ratio + ratio;  // -2 r; an enclosure that holds 0 has either sign, and both are right
  if (!negative) exponent = -exponent;
  const Number m = Traits::expm1(exponent), e = Traits::exp(exponent);
  const Number one_and_e = Number(1) + e;
  Number value = m / (Number(2) + m);  // -tanh r
  if (!negative) value = -value;
  value *= cap;
  return {value, Number(4) * e / (one_and_e * one_and_e)};
}

}  // namespace assay::reference
