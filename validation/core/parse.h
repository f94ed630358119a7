// Parses numbers.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace assay::validation {

/// The number that std::from_chars reads from all of `text`; std::nullopt if the text is not a number or the number
/// does not fit.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, value);
  if (problem != std::errc() || end != last) return std::nullopt;
  return value;
}

}  // namespace assay::validation
