// Parses the JSON of users. A byte-order mark at its start is skipped.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace assay::validation {

/// Values are copied and written by recursion: a document of 100,000 brackets would overflow the stack.
inline constexpr int deepest_json = 100;

/// Throws std::invalid_argument, beginning with `source`, for what is no JSON or is nested deeper than deepest_json.
template <class Json = nlohmann::json>
Json parse_json(const std::string& text, const std::string& source) {
  const auto limit = [&](int depth, typename Json::parse_event_t, const Json&) {
    if (depth > deepest_json)
      throw std::invalid_argument(fmt::format("{}: expected JSON of at most {} levels", source, deepest_json));
    return true;
  };
  try {
    return Json::parse(text, limit);
  } catch (const typename Json::parse_error& problem) {
    const std::string what = problem.what();
    throw std::invalid_argument(fmt::format("{}: {}", source, what.substr(what.find("] ") + 2)));
  }
}

}  // namespace assay::validation
