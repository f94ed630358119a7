// Numbers from words.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace assay::validation {

/// The number that is the whole of `text`, as std::from_chars reads it; nothing for any other text and where it does
/// not fit.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, value);
  if (problem != std::errc() || end != last) return std::nullopt;
  return value;
}

}  // namespace assay::validation
