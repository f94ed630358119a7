// From translated text to a shared object in the cache, with the messages of an analysis beside it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "metal/device/result.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/compile.h"
#include "metal/emulator/compile/flags.h"

namespace assay::metal::emulator {

/// Makes the step take in `module`, the text of LLVM's whose functions its shader calls; nothing if that is empty.
/// Errors: compile; environment.
Result<void> take_in_module(const Clang& clang, std::string_view module, const std::filesystem::path& work,
                            CompilingStep& step, const std::string& target = {});

/// Builds in the folder `work` and renames to `object`, since other processes may do the same at the same time. Errors:
/// compile, with the places in the shader; environment. `module` is the text of LLVM's whose functions the shader calls;
/// empty if there is none.
Result<void> build(const Clang& clang, const std::string& text, std::string_view module, const CompileOptions& options,
                   const std::filesystem::path& work, const std::filesystem::path& object);

}  // namespace assay::metal::emulator
