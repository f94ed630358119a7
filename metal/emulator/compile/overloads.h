// Translates a shader whose functions differ in address spaces only: lint's compiler says which of them each call means.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/compile.h"

namespace assay::metal::emulator {

/// As translate(), for the kernel that the options name. `work` is a folder for temporary files. Errors: as there, and
/// environment.
Result<std::string> translate_resolved(const Clang& clang, std::string_view preprocessed, const CompileOptions& options,
                                       const std::filesystem::path& work);

}  // namespace assay::metal::emulator
