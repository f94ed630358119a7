// What a kernel of an operation may declare, as JSON: `assay gate OPERATION --declarations`. The Python package takes
// its keywords from that JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "validation/transport/declaration/declaration.h"

namespace assay::validation::transport {

namespace detail {

/// By default a kernel does what a claim names. But if the claim's key is the name of an option or an array, a function
/// in Python does it only if the function declares so.
template <class Row>
void add_claims(const Row& row, nlohmann::ordered_json& claims) {
  if constexpr (IsChoice<Row>) {
    claims[row.keyword] = {{"default", row.values.front()}, {"values", row.values}};
    for (const Claim& claim : row.declinable) claims[row.keyword]["keys"].push_back(claim.key);
  } else if constexpr (requires { row.declinable; }) {
    if (row.declinable.key == nullptr) return;
    bool is_extra = false;
    if constexpr (requires { row.name; }) is_extra = std::string_view(row.name) == row.declinable.key;
    claims[row.declinable.key]["default"] = !is_extra;
  }
}

}  // namespace detail

/// {"dtype": {"default": "float32", "values": [...]},
///  "declares": {"unit_roundoff": {"default": 5.96e-08, "max": 0.00390625},
///               "sweeps": {"default": 10, "max": 1000, "of": "unit_roundoff"}, which counts such roundoffs,
///               "arithmetic": {"default": "log_space", "values": [...]}, ...},
///  "claims": {"upstream": {"default": false}, "inputs": {"default": "logits", "values": [...], "keys": [...]}, ...},
///  "limits": {"default": {}, "values": ["T", ...]}}
///
/// The keys are those of the member `support` of a declaration, one for each value. The first value of an enumeration
/// is its default.
template <class Operation>
nlohmann::ordered_json keywords() {
  using Json = nlohmann::ordered_json;
  Json dtypes = Json::array(), limits = Json::array(), declares = Json::object(), claims = Json::object();
  for_each_row(Operation::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>) limits.push_back(row.name);
    if constexpr (IsDtype<Row>)
      for (const Dtype dtype : row.all) dtypes.push_back(name_of(dtype));
    detail::add_claims(row, claims);
  });
  typename Operation::Info info;
  assume_float32(info);
  for_each_row(Operation::declarations(), [&]<class Row>(const Row& row) {
    using Value = std::remove_cvref_t<decltype(info.*row.in_info)>;
    if constexpr (std::is_same_v<Value, bool>) {
      declares[row.name]["default"] = info.*row.in_info;
    } else if constexpr (std::is_integral_v<Value>) {
      declares[row.name] = {{"default", info.*row.in_info}, {"max", static_cast<std::int64_t>(row.max)}};
    } else if constexpr (std::is_floating_point_v<Value>) {
      declares[row.name] = {{"default", info.*row.in_info}, {"max", row.max}};
    } else {
      declares[row.name] = {{"default", row.values.front()}, {"values", row.values}};
    }
    if constexpr (counts_roundoffs<Row>) declares[row.name]["of"] = "unit_roundoff";
  });
  return {{"dtype", {{"default", dtypes.front()}, {"values", dtypes}}},
          {"declares", declares},
          {"claims", claims},
          {"limits", {{"default", Json::object()}, {"values", limits}}}};
}

}  // namespace assay::validation::transport
