// Units in the last place of float and double.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include "reference/number/big_float.h"

namespace assay::reference {

/// The gap between |x|, rounded to Real, and the next larger Real: 1 ULP of a result whose exact value is x, a number
/// or an infinity. At 0 and below the normal range it is the smallest subnormal; at the largest Real, and beyond, the
/// gap below the largest Real.
template <std::floating_point Real>
Real ulp(const BigFloat& x) {
  const Real largest = std::numeric_limits<Real>::max(), rounded = std::abs(static_cast<Real>(x));
  const Real from = std::min(rounded, std::nextafter(largest, Real(0)));
  return std::nextafter(from, largest) - from;
}

}  // namespace assay::reference
