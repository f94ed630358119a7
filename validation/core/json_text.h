// JSON for a report: every string in it is printable (printable.h).
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "validation/core/printable.h"

namespace assay::validation {

/// The value with every string, and every name of a member, made printable.
inline nlohmann::ordered_json printable_json(const nlohmann::ordered_json& value) {
  using nlohmann::ordered_json;
  if (value.is_string()) return printable(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value;
  ordered_json all = value.is_array() ? ordered_json::array() : ordered_json::object();
  for (const auto& [key, one] : value.items()) {
    if (value.is_array())
      all.push_back(printable_json(one));
    else
      all[printable(key)] = printable_json(one);
  }
  return all;
}

/// `value` as text. `indent` counts the spaces of each level; with -1 all is on one line.
inline std::string json_text(const nlohmann::ordered_json& value, int indent) {
  return printable_json(value).dump(indent);
}

}  // namespace assay::validation
