#include "validation/core/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validation/core/number.h"

namespace assay::validation {
namespace {

/// Digits that the rounding of a long computation may cost.
constexpr int lost_digits = 10;

bool agree(const BigFloat& low, const BigFloat& high, double tolerance) {
  if (!is_finite(low) || !is_finite(high)) return same_kind(low, high);
  return absolute_difference(low, high) <= tolerance * std::max(1.0, std::abs(to_double(high)));
}

}  // namespace

BigFloat exactly(long double x) {
  const auto high = static_cast<double>(x);
  BigFloat exact(high);
  if (const auto rest = x - static_cast<long double>(high); std::isfinite(high) && rest != 0)
    exact += BigFloat(static_cast<double>(rest));
  return exact;
}

void require_same(const ExactValues& low, const ExactValues& high, int digits, const char* what) {
  const double tolerance = std::pow(10.0, lost_digits - digits);
  for (std::size_t i = 0; i < low.size(); ++i) {
    const BigFloat a = low[i], b = high[i];
    if (!agree(a, b, tolerance)) {
      throw ReferenceDisagrees(fmt::format("{}[{}] at {} and {} digits: {} and {}", what, i, digits,
                                           digits + extra_digits, to_decimal(a, digits), to_decimal(b, digits)));
    }
  }
}

}  // namespace assay::validation
