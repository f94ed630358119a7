// L = -ln p(l|x)    (Graves et al. 2006, equation 12, one sequence): +inf where p is 0.
#pragma once

#include "reference/number/traits.h"

namespace assay::reference {

/// The loss of a probability held in any weight: a number, a LogNumber, an Extended.
template <class Weight>
typename NumberTraits<Weight>::Scalar loss(const Weight& p) {
  return -NumberTraits<Weight>::log(p);
}

}  // namespace assay::reference
