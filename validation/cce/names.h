// The words for the enumerators of a linear cross-entropy problem, in lines of text and in files.
#pragma once

#include <string>
#include <vector>

#include "validation/cce/case.h"

namespace assay::validation {

/// NumPy's names, and PyTorch's, in the order of Dtype.
inline const std::vector<std::string>& dtype_names() {
  static const std::vector<std::string> names = {"float32", "float16", "bfloat16"};
  return names;
}

inline const std::string& name_of(Dtype dtype) {
  return dtype_names()[static_cast<std::size_t>(dtype)];
}

}  // namespace assay::validation
