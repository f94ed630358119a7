// Parses numbers.
#pragma once

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace assay::validation {

namespace detail {

/// What std::from_chars reads, by the C library, which also takes a space or + before the number, and hexadecimal.
template <class Number>
std::optional<Number> parse_floating(std::string_view text) {
  const std::string copy(text);
  const bool is_hexadecimal = copy.find_first_of("xX") != std::string::npos;
  if (copy.empty() || std::isspace(static_cast<unsigned char>(copy[0])) || copy[0] == '+' || is_hexadecimal)
    return std::nullopt;
  char* end = nullptr;
  errno = 0;
  const long double value = std::is_same_v<Number, float>    ? std::strtof(copy.c_str(), &end)
                            : std::is_same_v<Number, double> ? std::strtod(copy.c_str(), &end)
                                                             : std::strtold(copy.c_str(), &end);
  const bool fits = errno != ERANGE || (value != 0 && std::isfinite(value));  // subnormal numbers give ERANGE too
  if (!fits || end != copy.c_str() + copy.size()) return std::nullopt;
  return static_cast<Number>(value);
}

}  // namespace detail

/// The number that std::from_chars reads from all of `text`; std::nullopt if the text is not a number or the number
/// does not fit.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const last = text.data() + text.size();
#ifndef __cpp_lib_to_chars  // libc++ 19 reads whole numbers alone
  if constexpr (std::is_floating_point_v<Number>)
    return detail::parse_floating<Number>(text);
  else
#endif
  {
    const auto [end, problem] = std::from_chars(text.data(), last, value);
    if (problem != std::errc() || end != last) return std::nullopt;
    return value;
  }
}

}  // namespace assay::validation
