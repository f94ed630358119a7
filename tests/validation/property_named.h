// Properties by name, and names as googletest takes them.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "validation/ctc/operation.h"

namespace assay::validation {

inline const CtcProperty& property_named(const std::string& name) {
  for (const auto& property : ctc_properties())
    if (property.name == name) return property;
  throw std::invalid_argument("there is no property '" + name + "'");
}

/// Letters, digits and underscores alone.
inline std::string test_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace assay::validation
