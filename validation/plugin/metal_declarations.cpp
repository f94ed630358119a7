#include "validation/plugin/metal_declarations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

namespace assay::validation::plugin {
namespace {

constexpr std::array<std::pair<Dtype, const char*>, 3> types = {
    {{Dtype::float32, "float"}, {Dtype::float16, "half"}, {Dtype::bfloat16, "bfloat"}}};

}  // namespace

Declarations& Declarations::flag(const std::string& key, bool& to) {
  flags_[key] = &to;
  return *this;
}

Declarations& Declarations::number(const std::string& key, double& to) {
  numbers_[key] = &to;
  return *this;
}

Declarations& Declarations::integer(const std::string& key, std::int64_t& to) {
  integers_[key] = &to;
  return *this;
}

Declarations& Declarations::choice(const std::string& key, std::vector<std::string> names, std::size_t& to) {
  choices_[key] = {std::move(names), &to};
  return *this;
}

void Declarations::read(const BindingNode& binding, const std::string& section) const {
  const auto found = binding.find(section);
  if (!found) return;
  for (const auto& [key, node] : found->members()) read_member(key, node);
}

void Declarations::read_member(const std::string& key, const BindingNode& node) const {
  if (const auto flag = flags_.find(key); flag != flags_.end()) {
    *flag->second = node.flag();
  } else if (const auto number = numbers_.find(key); number != numbers_.end()) {
    *number->second = node.number();
    if (!(*number->second >= 0)) node.refuse("a number, at least 0");
  } else if (const auto integer = integers_.find(key); integer != integers_.end()) {
    *integer->second = node.integer(0, std::numeric_limits<std::int64_t>::max());
  } else if (const auto choice = choices_.find(key); choice != choices_.end()) {
    const auto& [names, to] = choice->second;
    const auto chosen = std::ranges::find(names, node.text());
    if (chosen == names.end()) node.refuse(fmt::format("one of {}", fmt::join(names, ", ")));
    *to = static_cast<std::size_t>(chosen - names.begin());
  } else {
    node.refuse(fmt::format("another key: one of {}", fmt::join(keys(), ", ")));
  }
}

std::vector<std::string> Declarations::keys() const {
  std::vector<std::string> all;
  const auto add = [&all](const auto& fields) {
    for (const auto& [key, to] : fields) all.push_back(key);
  };
  add(flags_);
  add(numbers_);
  add(integers_);
  add(choices_);
  std::ranges::sort(all);
  return all;
}

Dtype dtype_of(const BindingNode& binding) {
  const auto node = binding.find("dtype");
  if (!node) return Dtype::float32;
  for (const auto& [dtype, type] : types)
    if (node->text() == name_of(dtype)) return dtype;
  node->refuse("float32, float16 or bfloat16");
}

std::string metal_type_of(Dtype dtype) {
  return std::ranges::find(types, dtype, &std::pair<Dtype, const char*>::first)->second;
}

Dtype dtype_of_metal(const std::string& type) {
  for (const auto& [dtype, name] : types)
    if (type == name) return dtype;
  throw std::logic_error(type + " is no type of numbers with fractions");
}

}  // namespace assay::validation::plugin
