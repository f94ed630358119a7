// Parses numbers.
#pragma once

#include <cerrno>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace assay::validation {

namespace detail {

/// What std::from_chars reads, by the C library, which also takes a space or + before the number, hexadecimal, and the
/// decimal point of the process's locale in place of '.'.
template <class Number>
std::optional<Number> parse_floating(std::string_view text) {
  std::string copy(text);
  if (copy.empty() || copy[0] == '+' || copy.find_first_not_of("0123456789+-.eEinftyINFTYaA") != std::string::npos)
    return std::nullopt;
  if (const auto point = copy.find('.'); point != std::string::npos)
    copy.replace(point, 1, std::localeconv()->decimal_point);
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
