#include "validation/formula/value_class.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "validation/formula/patterns.h"

namespace assay::validation::formula {

std::string to_string(const ValueClass& values) {
  static constexpr auto names = std::to_array<std::string_view>(
      {"normal",   "offset",  "wide",   "tiny",   "ties",       "signed zeros", "subnormal",    "largest",
       "integers", "one-hot", "sorted", "scaled", "far offset", "opposed",      "midpoints of", "late",
       "equal",    "indexed", "signed", "peaked", "pattern",    "the user's"});
  const std::string_view name = names.at(static_cast<std::size_t>(values.kind));
  if (values.pattern != nullptr) return std::string(values.pattern->name);
  if (values.format != nullptr) return fmt::format("{} {}", name, values.format->name);
  if (values.is_sparse()) return fmt::format("{} {}", name, values.residue);
  if (values.exponent) return fmt::format("{} {}2^{}", name, values.is_negative ? "-" : "", *values.exponent);
  return std::string(name);
}

const std::vector<ValueClass>& value_classes() {
  using Class = ValueClass::Kind;
  static const std::vector<ValueClass> classes = {
      {Class::normal},       {Class::offset},    {Class::wide},      {Class::tiny},     {Class::ties},
      {Class::signed_zeros}, {Class::subnormal}, {Class::largest},   {Class::integers}, {Class::one_hot},
      {Class::sorted},       {Class::scaled},    {Class::far_offset}};
  return classes;
}

}  // namespace assay::validation::formula
