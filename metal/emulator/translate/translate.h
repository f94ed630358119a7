// From preprocessed Metal source to C++ that clang compiles, with every remaining token in its place.
//
// Address spaces, `kernel` and attributes go away, `threadgroup` variables and function constants become calls and
// variables, and a table of the kernels follows at the end. The standard library's headers are C++ already.
#pragma once

#include <string>
#include <string_view>

#include "metal/device/result.h"

namespace assay::metal::emulator {

/// Errors: compile, with the places in the .metal.
Result<std::string> translate(std::string_view preprocessed);

struct LintTranslation {
  std::string text;      ///< OpenCL C++, with address spaces
  std::string refusals;  ///< a line for each of those found without the compiler
};

/// For lint, of text preprocessed for it. Errors: as of translate.
Result<LintTranslation> translate_for_lint(std::string_view preprocessed);

}  // namespace assay::metal::emulator
