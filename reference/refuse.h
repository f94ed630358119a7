// Refusals that name the argument, its value and what was expected: how every problem is validated.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>

#include "reference/reduction.h"

namespace assay::reference::detail {

/// Throws std::invalid_argument with the parts written one after the other.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw std::invalid_argument(message.str());
}

inline void expect_at_least(const char* name, std::int64_t value, std::int64_t min) {
  if (value < min) refuse(name, " = ", value, ": expected at least ", min);
}

/// a * b for a, b >= 0, refused by `name` where it does not fit in 64 bits.
inline std::int64_t product(const char* name, std::int64_t a, std::int64_t b) {
  if (b != 0 && a > std::numeric_limits<std::int64_t>::max() / b)
    refuse(name, " = ", a, " * ", b, ": expected a product that fits in 64 bits");
  return a * b;
}

inline void expect_size(const char* name, std::size_t size, const char* shape, std::int64_t expected) {
  if (size != static_cast<std::size_t>(expected))
    refuse(name, ".size() = ", size, ": expected ", shape, " = ", expected);
}

/// Throws unless `upstream` is empty or finite, of one number for each of `count` rows or tokens (the extent `name`),
/// after a reduction of one number in all.
template <class Real>
void validate_upstream(std::span<const Real> upstream, Reduction reduction, const char* name, std::int64_t count) {
  using std::isfinite;
  if (upstream.empty()) return;
  const bool each = reduction == Reduction::none;
  if (upstream.size() != static_cast<std::size_t>(each ? count : 1))
    refuse("upstream.size() = ", upstream.size(), ": expected ", each ? name : "1",
           each ? " for Reduction::none = " : " for Reduction::sum or mean = ", each ? count : 1);
  for (std::size_t i = 0; i < upstream.size(); ++i)
    if (!isfinite(upstream[i])) refuse("upstream[", i, "] = ", upstream[i], ": expected a finite number");
}

}  // namespace assay::reference::detail
