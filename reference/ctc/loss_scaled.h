// ln p(l|x) = sum_t ln C_t    (Graves et al. 2006, section 4.1), from the scales of alpha_scaled: no number as small as
// p itself is ever formed.
#pragma once

#include <span>

#include "reference/number/traits.h"

namespace assay::reference {

/// -ln p(l|x) from C [T].
template <class Number>
Number loss_scaled(std::span<const Number> C) {
  Number loss(0);
  for (const Number& scale : C) loss -= NumberTraits<Number>::log(scale);
  return loss;
}

}  // namespace assay::reference
