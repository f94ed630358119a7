#include "metal/emulator/numerics/known_functions.h"

#include <map>
#include <string>

namespace assay::metal::emulator {

namespace {

using Kind = KnownFunction::Kind;

#define MSL_LIBM_1(name, ...) {#name, {Kind::operation, Operation::name}},
#define MSL_LIBM_2(name, ...) {#name, {Kind::operation, Operation::name}},
#define MSL_ROUNDED_1(name, ...) {"assay_math_" #name, {Kind::operation, Operation::name}},
#define MSL_ROUNDED_2(name, ...) {"assay_math_" #name, {Kind::operation, Operation::name}},
const std::map<std::string_view, KnownFunction> functions_by_name = {
#include "metal/emulator/include/assay/functions.def"
    {"fabs", {Kind::operation, Operation::absolute}},
    {"expm1", {Kind::operation, Operation::expm1}},
    {"log1p", {Kind::operation, Operation::log1p}},
    {"fma", {Kind::operation, Operation::fused}},
    {"fmuladd", {Kind::operation, Operation::fused}},
    {"ldexp", {Kind::scaling, Operation::scale}},
    {"minnum", {Kind::choice}},
    {"maxnum", {Kind::choice}},
    {"fmin", {Kind::choice}},
    {"fmax", {Kind::choice}},
    {"copysign", {Kind::sign}},
    {"floor", {Kind::whole}},
    {"ceil", {Kind::whole}},
    {"trunc", {Kind::whole}},
    {"rint", {Kind::whole}},
    {"round", {Kind::whole}},
    {"nearbyint", {Kind::whole}},
    {"roundeven", {Kind::whole}},
};

std::optional<KnownFunction> find(std::string_view name) {
  const auto found = functions_by_name.find(name);
  return found == functions_by_name.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<KnownFunction> known_function(std::string_view callee) {
  if (!callee.starts_with('@')) return std::nullopt;
  callee.remove_prefix(1);
  if (callee.starts_with("llvm.")) {
    callee.remove_prefix(5);
    return find(callee.substr(0, callee.find('.')));
  }
  if (const auto found = find(callee)) return found;
  for (const std::string_view edge : {"assay_math_fast_", "assay_math_"}) {  // include/assay/arithmetic.h
    if (!callee.starts_with(edge)) continue;
    const std::string_view name = callee.substr(edge.size());
    if (const auto found = find(name)) return found;
    return find("assay_math_" + std::string(name));
  }
  if (callee.ends_with('f') || callee.ends_with('l')) return find(callee.substr(0, callee.size() - 1));
  return std::nullopt;
}

}  // namespace assay::metal::emulator
