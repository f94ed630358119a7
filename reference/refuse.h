// Refusals that name the argument, its value and what was expected: how every problem is validated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace assay::reference::detail {

/// Throws std::invalid_argument with the parts written one after the other.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw std::invalid_argument(message.str());
}

inline void expect_at_least(const char* name, std::int64_t value, std::int64_t least) {
  if (value < least) refuse(name, " = ", value, ": expected at least ", least);
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

}  // namespace assay::reference::detail
