// Reads fields of a JSON document, each with an error that names its path: "run.json: runs[0].seed: expected ...".
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace assay::validation {

class JsonReader {
 public:
  /// Each error message begins with `path`.
  JsonReader(const nlohmann::json& value, std::string path) : value_(value), path_(std::move(path)) {}

  /// Throws std::invalid_argument, which says what was expected and what was found.
  [[noreturn]] void refuse(const std::string& expected) const {
    using nlohmann::json;
    std::string got = value_.dump(-1, ' ', false, json::error_handler_t::replace);
    constexpr std::size_t longest = 60;
    if (got.size() > longest) got = got.substr(0, longest) + "...";
    throw std::invalid_argument(fmt::format("{}: expected {}, got {}", path_, expected, got));
  }

  JsonReader operator[](const char* key) const {
    if (!value_.is_object()) refuse(fmt::format("an object with '{}'", key));
    const auto found = value_.find(key);
    if (found == value_.end()) throw std::invalid_argument(fmt::format("{}: missing", below(key)));
    return {*found, below(key)};
  }

  bool has(const char* key) const { return value_.is_object() && value_.contains(key); }

  template <class Use>
  void each(const Use& use) const {
    if (!value_.is_array()) refuse("an array");
    for (std::size_t i = 0; i < value_.size(); ++i) use(JsonReader(value_[i], fmt::format("{}[{}]", path_, i)));
  }

  /// Calls use(key, value) for each member of an object.
  template <class Use>
  void each_member(const Use& use) const {
    if (!value_.is_object()) refuse("an object");
    for (const auto& [key, value] : value_.items()) use(key, JsonReader(value, below(key)));
  }

  bool is_null() const { return value_.is_null(); }

  std::string text() const {
    if (!value_.is_string()) refuse("a string");
    return value_.get<std::string>();
  }

  bool truth() const {
    if (!value_.is_boolean()) refuse("true or false");
    return value_.get<bool>();
  }

  std::int64_t whole(std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
    const bool fits = value_.is_number_unsigned() && value_.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
    if (!fits || value_.get<std::int64_t>() < least) {
      refuse(most == std::numeric_limits<std::int64_t>::max()
                 ? fmt::format("a whole number from {}", least)
                 : fmt::format("a whole number from {} to {}", least, most));
    }
    return value_.get<std::int64_t>();
  }

  std::uint64_t seed() const {
    if (!value_.is_number_unsigned()) refuse("a whole number from 0");
    return value_.get<std::uint64_t>();
  }

  /// A number, or "nan", "inf", "-inf".
  double number() const {
    if (value_.is_number()) return value_.get<double>();
    if (value_ == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (value_ == "inf") return std::numeric_limits<double>::infinity();
    if (value_ == "-inf") return -std::numeric_limits<double>::infinity();
    refuse("a number, \"nan\", \"inf\" or \"-inf\"");
  }

  std::map<std::string, std::int64_t> counts() const {
    if (!value_.is_object()) refuse("an object of counts");
    std::map<std::string, std::int64_t> counts;
    for (const auto& [key, value] : value_.items()) counts[key] = JsonReader(value, below(key)).whole(0);
    return counts;
  }

 private:
  std::string below(const std::string& key) const { return path_.ends_with(": ") ? path_ + key : path_ + "." + key; }

  const nlohmann::json& value_;
  std::string path_;
};

}  // namespace assay::validation
