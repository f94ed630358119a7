// Parses a case in one line of words "key=value", the form of the lines that reproduce a failure.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "validation/core/parse.h"

namespace assay::validation {

using Words = std::map<std::string, std::string>;

/// The names of reductions, in the order of reference::Reduction.
inline const std::vector<std::string>& reduction_names() {
  static const std::vector<std::string> names = {"none", "sum", "mean"};
  return names;
}

/// The words `key=value` of a line. Throws std::invalid_argument for a word without '=', a key given twice or a byte 0.
Words parse_words(const std::string& line);

/// How many times a sequence has a case: the word "times", 1 without it.
int times_of(const Words& words);

/// Throws std::invalid_argument for a key that is not in `known`.
void require_known(const Words& words, const Words& known);

// Each throws std::invalid_argument naming the key that is missing or unreadable.

const std::string& word(const Words& words, const std::string& key);

template <class Value>
Value parse_value(const std::string& key, std::string_view text) {
  const auto value = parse_number<Value>(text);
  if (!value) throw std::invalid_argument(fmt::format("{}={}: expected a number", key, text));
  return *value;
}

template <class Value>
Value parse_word(const Words& words, const std::string& key) {
  return parse_value<Value>(key, word(words, key));
}

/// The numbers between commas.
template <class Value>
std::vector<Value> parse_list(const Words& words, const std::string& key) {
  std::vector<Value> values;
  const std::string& text = word(words, key);
  std::istringstream stream(text.empty() ? text : text + ",");  // so that a comma at the end adds an empty item
  for (std::string item; std::getline(stream, item, ',');) values.push_back(parse_value<Value>(key, item));
  return values;
}

/// The position of the word among `names`, as an enumerator.
template <class Enum>
Enum parse_enum(const Words& words, const std::string& key, const std::vector<std::string>& names) {
  const auto& text = word(words, key);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return static_cast<Enum>(i);
  }
  throw std::invalid_argument(fmt::format("{}={}: expected one of {}", key, text, fmt::join(names, ", ")));
}

template <class Enum>
const std::string& enum_name(Enum value, const std::vector<std::string>& names) {
  return names[static_cast<std::size_t>(value)];
}

}  // namespace assay::validation
