// Pragmas that only hint at how to compile a loop (#pragma unroll, #pragma clang loop): the preprocessor leaves macros
// in them alone, which clang then does not know.
#pragma once

#include <string>
#include <string_view>

namespace assay::metal::emulator {

/// The text with blank lines in their place.
std::string without_loop_pragmas(std::string_view text);

}  // namespace assay::metal::emulator
