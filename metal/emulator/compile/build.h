// From translated text to a shared object in the cache, with the messages of an analysis beside it.
#pragma once

#include <filesystem>
#include <string>

#include "metal/device/result.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/compile.h"

namespace assay::metal::emulator {

/// Builds in the folder `work` and renames to `object`, since other processes may do the same at the same time. Errors:
/// compile, with the places in the shader; environment.
Result<void> build(const Clang& clang, const std::string& text, const CompileOptions& options,
                   const std::filesystem::path& work, const std::filesystem::path& object);

}  // namespace assay::metal::emulator
