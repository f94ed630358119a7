#include "validation/core/random.h"

#include <cmath>
#include <numbers>

namespace assay::validation {

std::int64_t Random::integer(std::int64_t low, std::int64_t high) {
  // Unsigned throughout, because high - low may not fit in 63 bits; a count of 2^64 becomes 0.
  const auto first = static_cast<std::uint64_t>(low);
  const std::uint64_t count = static_cast<std::uint64_t>(high) - first + 1;
  return static_cast<std::int64_t>(first + (count == 0 ? bits() : bits() % count));
}

double Random::real() {
  return static_cast<double>(bits() >> 11U) * 0x1p-53;
}

double Random::gaussian() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - real()));
  return radius * std::cos(2.0 * std::numbers::pi * real());
}

}  // namespace assay::validation
