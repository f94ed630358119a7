#include "metal/emulator/numerics/known_functions.h"

#include <map>

namespace assay::metal::emulator {

namespace {

using Kind = KnownFunction::Kind;

const std::map<std::string_view, KnownFunction> functions_by_name = {
    {"fabs", {Kind::operation, Operation::absolute}},
    {"sqrt", {Kind::operation, Operation::square_root}},
    {"exp", {Kind::operation, Operation::exp}},
    {"exp2", {Kind::operation, Operation::exp2}},
    {"exp10", {Kind::operation, Operation::exp10}},
    {"expm1", {Kind::operation, Operation::expm1}},
    {"log", {Kind::operation, Operation::log}},
    {"log2", {Kind::operation, Operation::log2}},
    {"log10", {Kind::operation, Operation::log10}},
    {"log1p", {Kind::operation, Operation::log1p}},
    {"sin", {Kind::operation, Operation::sin}},
    {"cos", {Kind::operation, Operation::cos}},
    {"tan", {Kind::operation, Operation::tan}},
    {"asin", {Kind::operation, Operation::asin}},
    {"acos", {Kind::operation, Operation::acos}},
    {"atan", {Kind::operation, Operation::atan}},
    {"sinh", {Kind::operation, Operation::sinh}},
    {"cosh", {Kind::operation, Operation::cosh}},
    {"tanh", {Kind::operation, Operation::tanh}},
    {"asinh", {Kind::operation, Operation::asinh}},
    {"acosh", {Kind::operation, Operation::acosh}},
    {"atanh", {Kind::operation, Operation::atanh}},
    {"pow", {Kind::operation, Operation::power}},
    {"atan2", {Kind::operation, Operation::atan2}},
    {"fmod", {Kind::operation, Operation::remainder}},
    {"fma", {Kind::operation, Operation::fused}},
    {"fmuladd", {Kind::operation, Operation::fused}},
    {"ldexp", {Kind::scaling, Operation::scale}},
    {"minnum", {Kind::choice}},
    {"maxnum", {Kind::choice}},
    {"fmin", {Kind::choice}},
    {"fmax", {Kind::choice}},
    {"copysign", {Kind::choice}},
    {"floor", {Kind::whole}},
    {"ceil", {Kind::whole}},
    {"trunc", {Kind::whole}},
    {"rint", {Kind::whole}},
    {"round", {Kind::whole}},
    {"nearbyint", {Kind::whole}},
    {"roundeven", {Kind::whole}},
    {"assay_math_divide", {Kind::operation, Operation::divide}},
    {"assay_math_quotient", {Kind::operation, Operation::divide}},
    {"assay_math_fast_rsqrt", {Kind::operation, Operation::reciprocal_root}},
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
  for (const std::string_view edge : {"assay_math_fast_", "assay_math_"})  // include/assay/arithmetic.h
    if (callee.starts_with(edge)) return find(callee.substr(edge.size()));
  if (callee.ends_with('f') || callee.ends_with('l')) return find(callee.substr(0, callee.size() - 1));
  return std::nullopt;
}

}  // namespace assay::metal::emulator
