// From preprocessed Metal source to C++ that clang compiles, in which every remaining token keeps its line and column.
//
// Removes address spaces, `kernel` and attributes, turns `threadgroup` variables and function constants into references
// to memory elsewhere, and appends a table of the kernels. The standard library's headers are C++ already.
#pragma once

#include <string>
#include <string_view>

#include "metal/device/result.h"

namespace assay::metal::emulator {

/// Errors: compile, with places in the .metal.
Result<std::string> translate(std::string_view preprocessed);

/// Translates text preprocessed for NVIDIA GPUs. Kernel n of the shader's table becomes the entry `assay_launch_n`, and
/// the entry `assay_set_constants` sets the function constants. Errors: as above.
Result<std::string> translate_for_ptx(std::string_view preprocessed);

struct LintTranslation {
  std::string text;      ///< OpenCL C++, with address spaces
  std::string refusals;  ///< a line for each fault that the translator itself has found
  std::string warnings;  ///< likewise, for what may be meant
};

/// Translates text preprocessed for lint. Errors: as above.
Result<LintTranslation> translate_for_lint(std::string_view preprocessed);

}  // namespace assay::metal::emulator
