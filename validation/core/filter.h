// The regular expression that chooses properties by their names.
#pragma once

#include <fmt/format.h>

#include <regex>
#include <stdexcept>
#include <string>

namespace assay::validation {

/// Throws std::invalid_argument for a text that is no regular expression.
inline std::regex filter_of(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error& error) {
    throw std::invalid_argument(fmt::format("filter = '{}': expected a regular expression ({})", text, error.what()));
  }
}

}  // namespace assay::validation
