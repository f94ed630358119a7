// Metal's standard library as a precompiled header in the cache: most of a shader's text, and the same in nearly all.
#pragma once

#include <filesystem>
#include <string_view>

#include "metal/device/result.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/compile.h"
#include "metal/emulator/compile/flags.h"

namespace assay::metal::emulator {

/// Makes the first step take in the library that the translated text begins with, precompiled, and returns the rest of
/// the text, which is left to compile. In another arithmetic than ieee, whose seed is in the library, the step and the
/// text stay whole. Errors: environment; compile.
Result<std::string_view> take_in_library(const Clang& clang, std::string_view text, const CompileOptions& options,
                                         const std::filesystem::path& work, CompilingStep& first);

}  // namespace assay::metal::emulator
