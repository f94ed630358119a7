// Properties of CTC by name.
#pragma once

#include <string>

#include "tests/validation/named.h"
#include "validation/ctc/operation.h"

namespace assay::validation {

inline const CtcProperty& property_named(const std::string& name) {
  return named(CtcOperation::properties(), name);
}

}  // namespace assay::validation
