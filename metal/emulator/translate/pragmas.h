// Removes the pragmas that are hints for compiling a loop (#pragma unroll, #pragma clang loop). The preprocessor does
// not expand macros in them, and clang would refuse those.
#pragma once

#include <string>
#include <string_view>

namespace assay::metal::emulator {

/// The text with an empty line in place of each such pragma.
std::string without_loop_pragmas(std::string_view text);

}  // namespace assay::metal::emulator
