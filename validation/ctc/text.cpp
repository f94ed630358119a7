#include "validation/ctc/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <stdexcept>

#include "validation/core/parse.h"

namespace assay::validation {
namespace {

using Words = std::map<std::string, std::string>;

const std::string& word(const Words& words, const std::string& key) {
  const auto found = words.find(key);
  if (found == words.end()) throw std::invalid_argument(fmt::format("'{}=' is missing from the case", key));
  return found->second;
}

template <class Value>
Value parse_value(const std::string& key, std::string_view text) {
  const auto value = parse_number<Value>(text);
  if (!value) throw std::invalid_argument(fmt::format("{}={}: expected a number", key, text));
  return *value;
}

template <class Value>
std::vector<Value> parse_list(const Words& words, const std::string& key) {
  std::vector<Value> values;
  const std::string& text = word(words, key);
  std::istringstream stream(text.empty() ? text : text + ",");  // a comma after each item: one at the end is a hole
  for (std::string item; std::getline(stream, item, ',');) values.push_back(parse_value<Value>(key, item));
  return values;
}

std::int64_t parse_integer(const Words& words, const std::string& key) {
  return parse_value<std::int64_t>(key, word(words, key));
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

const std::vector<std::string> input_names = {"logits", "log_probs"};
const std::vector<std::string> layout_names = {"padded", "concatenated"};
const std::vector<std::string> reduction_names = {"none", "sum", "mean"};
const std::vector<std::string> flag_names = {"0", "1"};

template <class Enum>
const std::string& enum_name(Enum value, const std::vector<std::string>& names) {
  return names[static_cast<std::size_t>(value)];
}

}  // namespace

std::string to_text(const CtcCase& c) {
  return fmt::format(
      "T={} B={} C={} S={} blank={} input={} variable={} layout={} reduction={} zero_infinity={} input_lengths={} "
      "target_lengths={} targets={} upstream={} activations={}",
      c.T, c.B, c.C, c.S, c.blank, enum_name(c.input, input_names), enum_name(c.variable, input_names),
      enum_name(c.layout, layout_names), enum_name(c.reduction, reduction_names), c.zero_infinity ? 1 : 0,
      fmt::join(c.input_lengths, ","), fmt::join(c.target_lengths, ","), fmt::join(c.targets, ","),
      fmt::join(c.upstream, ","), fmt::join(c.activations, ","));
}

Words parse_words(const std::string& line) {
  Words words;
  std::istringstream stream(line);
  for (std::string item; stream >> item;) {
    const auto equals = item.find('=');
    if (equals == std::string::npos) throw std::invalid_argument(fmt::format("'{}': expected key=value", item));
    if (!words.emplace(item.substr(0, equals), item.substr(equals + 1)).second) {
      throw std::invalid_argument(fmt::format("'{}' is given twice", item.substr(0, equals)));
    }
  }
  return words;
}

CtcCase from_words(const Words& words) {
  static const Words known = parse_words(to_text(CtcCase{}));
  for (const auto& [key, value] : words) {
    if (!known.contains(key)) throw std::invalid_argument(fmt::format("'{}=' is not part of a case", key));
  }
  CtcCase c;
  c.T = parse_integer(words, "T");
  c.B = parse_integer(words, "B");
  c.C = parse_integer(words, "C");
  c.S = parse_integer(words, "S");
  c.blank = parse_integer(words, "blank");
  c.input = parse_enum<CtcInput>(words, "input", input_names);
  c.variable = parse_enum<CtcVariable>(words, "variable", input_names);
  c.layout = parse_enum<CtcTargets>(words, "layout", layout_names);
  c.reduction = parse_enum<Reduction>(words, "reduction", reduction_names);
  c.zero_infinity = parse_enum<int>(words, "zero_infinity", flag_names) == 1;
  c.input_lengths = parse_list<std::int64_t>(words, "input_lengths");
  c.target_lengths = parse_list<std::int64_t>(words, "target_lengths");
  c.targets = parse_list<std::int64_t>(words, "targets");
  c.upstream = parse_list<float>(words, "upstream");
  c.activations = parse_list<float>(words, "activations");
  return c;
}

}  // namespace assay::validation
