// The words for the enumerators of a linear cross-entropy problem, in lines of text and in files.
#pragma once

#include <string>
#include <vector>

#include "validation/cce/case.h"

namespace assay::validation {

/// The types that linear cross-entropy is stated in, in the order of Dtype.
inline const std::vector<std::string>& cce_dtype_names() {
  static const std::vector<std::string> names(dtype_names().begin(), dtype_names().begin() + 3);
  return names;
}

}  // namespace assay::validation
