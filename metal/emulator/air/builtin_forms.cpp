#include "metal/emulator/air/builtin_forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

namespace assay::metal::emulator::air {

Shape shape_of(std::string_view type) {
  const std::size_t by = type.find(" x ");
  if (!type.starts_with('<') || !type.ends_with('>') || by == std::string_view::npos) return {type, 0};
  unsigned count = 0;
  for (const char digit : type.substr(1, by - 1)) count = count * 10 + static_cast<unsigned>(digit - '0');
  return {type.substr(by + 3, type.size() - by - 4), count};
}

std::string metal_type(std::string_view type, bool is_unsigned) {
  static const std::map<std::string_view, std::string_view> names = {
      {"half", "half"}, {"bfloat", "bfloat"}, {"float", "float"}, {"i1", "bool"}, {"ptr", "device void*"},
      {"i8", "char"},   {"i16", "short"},     {"i32", "int"},     {"i64", "long"}};
  const auto found = names.find(type);
  if (found == names.end()) return {};
  const bool is_integer = type.size() > 2 && type.front() == 'i';
  return (is_unsigned && (is_integer || type == "i8") ? "u" : "") + std::string(found->second);
}

namespace {

#define MSL_FUNCTION_1(name) {#name, 1},
#define MSL_FUNCTION_2(name) {#name, 2},
#define MSL_FUNCTION_3(name) {#name, 3},
/// How many arguments the functions of Metal's standard library have.
const std::map<std::string_view, unsigned> arguments_of = {
#include "metal/emulator/include/assay/functions.def"
};

template <std::size_t n>
bool is_in(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Mathematical functions have names such as "exp" and "fast_exp".
std::optional<Form> mathematics(std::string_view family) {
  constexpr std::string_view fast = "fast_";
  const bool is_fast = family.starts_with(fast);
  if (is_fast) family.remove_prefix(fast.size());
  const auto found = arguments_of.find(family);
  if (found == arguments_of.end()) return std::nullopt;
  const unsigned arguments = found->second;
  const std::array<const char*, 3> names = {"a", "b", "c"};
  const std::string text = fmt::format("metal::{}{}({})", is_fast ? "fast::" : "", family,
                                       fmt::join(names.begin(), names.begin() + arguments, ", "));
  return Form{.expression = text, .arguments = arguments};
}

/// Collectives of simdgroups and quadgroups: "simd_sum", "quad_shuffle_xor".
std::optional<Form> collective(std::string_view family) {
  if (!family.starts_with("simd_") && !family.starts_with("quad_")) return std::nullopt;
  const std::string_view name = family.substr(5);
  constexpr std::array<std::string_view, 12> reductions = {"sum",
                                                           "product",
                                                           "min",
                                                           "max",
                                                           "and",
                                                           "or",
                                                           "xor",
                                                           "prefix_inclusive_sum",
                                                           "prefix_exclusive_sum",
                                                           "prefix_inclusive_product",
                                                           "prefix_exclusive_product",
                                                           "broadcast_first"};
  constexpr std::array<std::string_view, 7> shuffles = {
      "broadcast", "shuffle", "shuffle_up", "shuffle_down", "shuffle_xor", "shuffle_rotate_up", "shuffle_rotate_down"};
  if (is_in(reductions, name) || name == "all" || name == "any") {
    const std::string text = fmt::format("metal::{}(a, *site)", family);
    return Form{.expression = text, .arguments = 1, .has_site = true};
  }
  if (name == "is_first") {
    const std::string text = fmt::format("metal::{}(*site)", family);
    return Form{.expression = text, .arguments = 0, .has_site = true, .needs = abi::Needs::no_lanes};
  }
  if (is_in(shuffles, name)) {
    const std::string text = fmt::format("metal::{}(a, b, *site)", family);
    return Form{.expression = text, .arguments = 2, .by_element = 1, .has_site = true, .needs = abi::Needs::read_lanes};
  }
  if (name != "shuffle_and_fill_up" && name != "shuffle_and_fill_down") return std::nullopt;
  const std::string text = fmt::format("metal::{}(a, b, c, d, *site)", family);
  return Form{.expression = text, .arguments = 4, .by_element = 3, .has_site = true, .needs = abi::Needs::read_lanes};
}

}  // namespace

std::optional<Form> form_of(std::string_view family) {
  auto form = mathematics(family);
  return form ? form : collective(family);
}

}  // namespace assay::metal::emulator::air
