// Errors of float and double in units in the last place, held against an exact value.
//
//   ulp(x)  = the gap between the two neighbouring Reals that enclose x (at and beyond the largest: the last gap)
//   error   = |got - exact| / ulp(exact)
//
// Correct rounding is an error of at most 1/2 ulp.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>

#include "reference/number/big_float.h"

namespace assay::reference {

/// How many steps from neighbour to neighbour lead from a to b: 0 for equal numbers (also 0 and -0), the greatest
/// value where either is NaN.
template <std::floating_point Real>
std::uint64_t ulp_distance(Real a, Real b) {
  using Bits = std::conditional_t<sizeof(Real) == sizeof(float), std::int32_t, std::int64_t>;
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<std::uint64_t>::max();
  const auto position = [](Real x) -> std::int64_t {  // counts up from 0 with x >= 0, down with x <= 0
    const std::int64_t magnitude = std::bit_cast<Bits>(std::abs(x));
    return std::signbit(x) ? -magnitude : magnitude;
  };
  const std::int64_t from = position(a), to = position(b);
  return from < to ? static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from)
                   : static_cast<std::uint64_t>(from) - static_cast<std::uint64_t>(to);
}

/// The next Real above x, and below.
template <std::floating_point Real>
Real next_up(Real x) {
  return std::nextafter(x, std::numeric_limits<Real>::infinity());
}
template <std::floating_point Real>
Real next_down(Real x) {
  return std::nextafter(x, -std::numeric_limits<Real>::infinity());
}

/// The Real nearest to x, ties to even, with gradual underflow; beyond the range an infinity.
template <std::floating_point Real>
Real round_to(const BigFloat& x) {
  return static_cast<Real>(x);  // both kinds of BigFloat round once, below the normal range too
}

/// The gap between the neighbouring Reals that enclose x, a number or an infinity.
template <std::floating_point Real>
Real ulp(const BigFloat& x) {
  const BigFloat magnitude = abs(x);
  const Real r = std::abs(round_to<Real>(x)), largest = std::numeric_limits<Real>::max();
  if (r >= largest) return largest - next_down(largest);
  return magnitude < BigFloat(r) ? r - next_down(r) : next_up(r) - r;
}

/// |got - exact| / ulp(exact). 0 where both are the same infinity or both NaN; +inf where one of them alone is.
template <std::floating_point Real>
double ulp_error(Real got, const BigFloat& exact) {
  using Traits = NumberTraits<BigFloat>;
  const double infinity = std::numeric_limits<double>::infinity();
  if (Traits::is_nan(exact)) return std::isnan(got) ? 0 : infinity;
  if (std::isnan(got)) return infinity;
  if (!std::isfinite(got) || !Traits::is_finite(exact)) return round_to<Real>(exact) == got ? 0 : infinity;
  return static_cast<double>(BigFloat(abs(BigFloat(BigFloat(got) - exact)) / BigFloat(ulp<Real>(exact))));
}

/// The exact bits of x as C prints them: "0x1.91eb86p+1".
template <std::floating_point Real>
std::string hex_float(Real x) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", static_cast<double>(x));
  return text;
}

}  // namespace assay::reference
