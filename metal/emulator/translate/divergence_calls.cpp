// Part of divergence.h: calls of functions, and the operations of simdgroups.
#include <fmt/format.h>

#include "metal/emulator/translate/divergence_walk.h"

namespace assay::metal::emulator {

namespace {

/// Operations that all lanes of the simdgroup must execute: Metal Shading Language Specification, 2.4 and 6.9.1.
bool is_of_all_lanes(std::string_view name) {
  return name == "simdgroup_barrier" || name == "simdgroup_load" || name == "simdgroup_store" ||
         name == "simdgroup_multiply" || name == "simdgroup_multiply_accumulate";
}

/// Whether it asks which lanes are active.
bool asks_for_lanes(std::string_view name) {
  return name.ends_with("_is_first") || name.ends_with("_active_threads_mask") || name == "simd_is_helper_thread";
}

bool is_operation(std::string_view name) {
  return name.starts_with("simd_") || name.starts_with("__metal_simd_") || name.starts_with("quad_") ||
         is_of_all_lanes(name);
}

/// Whether all lanes get one value.
bool is_uniform(std::string_view name) {
  const bool is_per_lane = name.find("shuffle") != std::string_view::npos ||
                           name.find("prefix") != std::string_view::npos || name == "simd_is_first";
  return name.starts_with("simd_") && !is_per_lane;
}

}  // namespace

void WalkedShader::add_operations_of(std::string_view name) {
  if (!divergent_functions.insert(name).second) return;
  const auto [first, last] = functions.equal_range(name);
  for (auto function = first; function != last; ++function) {
    const std::size_t open = function->second->body;
    for (std::size_t n = open; n < source.match(open); ++n) {
      if (!source.is_identifier(n)) continue;
      if (is_operation(source[n].text))
        found.names.insert(n);
      else
        add_operations_of(source[n].text);
    }
  }
}

void Walk::report(std::size_t name, const std::string& what, bool is_error) {
  const std::string text = fmt::format(
      "{}: {}: {} under a condition that depends on the thread's own position ({}): {}\n",
      to_string(source_[name].place), is_error ? "error" : "warning", what, to_string(source_[condition_].place),
      is_error ? "all lanes of the simdgroup must execute it" : "lanes that do not come here have no part in it");
  if (!shader_.known.insert(text).second) return;
  (is_error ? shader_.found.errors : shader_.found.warnings).push_back(text);
}

Argument Walk::argument(std::size_t first, std::size_t last) {
  Argument argument;
  const std::string name(source_[first].text);
  const auto known = variables_.find(name);
  if (source_[first] == "{") {
    for (std::size_t begin = first + 1, n = 0; begin < source_.match(first); ++n) {
      const std::size_t end = source_.find(begin, source_.match(first), ",");
      argument[fmt::format("{:03}", n)] = scan(begin, end);
      begin = end + 1;
    }
  } else if (last == first + 1 && known != variables_.end()) {
    argument[""] = known->second;
    for (auto member = variables_.lower_bound(name + "."); member != variables_.end(); ++member)
      if (member->first.starts_with(name + ".")) argument[member->first.substr(name.size())] = member->second;
  } else {
    argument[""] = scan(first, last);
  }
  return argument;
}

Value Walk::call(std::size_t name, std::size_t open) {
  const std::string_view word = source_[name].text;
  if (is_operation(word)) return operation(name, open);
  std::vector<Argument> arguments;
  for (std::size_t begin = open + 1; begin < source_.match(open);) {
    const std::size_t end = source_.find(begin, source_.match(open), ",");
    arguments.push_back(argument(begin, end));
    begin = end + 1;
  }
  const Outcome outcome = shader_.call(word, arguments);
  if (outcome.operation.empty()) return outcome.value;
  if (outcome_.operation.empty()) outcome_.operation = outcome.operation;
  if (condition_ != no_token) shader_.add_operations_of(word);
  if (condition_ != no_token)
    report(name, fmt::format("{}, which executes {}, is called", word, outcome.operation),
           is_of_all_lanes(std::string_view(outcome.operation).substr(0, outcome.operation.find(' '))));
  return outcome.value;
}

Value Walk::operation(std::size_t name, std::size_t open) {
  const std::string_view word = source_[name].text;
  const Value arguments = scan(open + 1, source_.match(open));
  if (condition_ != no_token) shader_.found.names.insert(name);
  if (!asks_for_lanes(word)) {
    if (outcome_.operation.empty()) outcome_.operation = fmt::format("{} ({})", word, to_string(source_[name].place));
    if (condition_ != no_token) report(name, std::string(word), is_of_all_lanes(word));
  }
  if (word == "simd_shuffle_xor") return varies(arguments) ? Value::exchanged : arguments;
  if (word == "simd_is_first" || word.find("prefix") != std::string_view::npos) return Value::varying;
  return is_uniform(word) ? Value::uniform : arguments;
}

}  // namespace assay::metal::emulator
