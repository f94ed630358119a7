// The first step of both the compiler of shaders and lint: the preprocessor.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/compile.h"

namespace assay::metal::emulator {

/// The line of a preprocessed text at which Metal's standard library, with which it begins, ends.
inline constexpr std::string_view end_of_library = "\n# 2 \"<command line>\" 2\n";

/// `overloads` is lint without what only finds faults.
enum class Purpose { run, lint, overloads, ptx };

/// The preprocessed source, with line markers that refer to `name`. `work` is a folder for temporary files.
Result<std::string> preprocess(const Clang& clang, std::string_view source, const std::filesystem::path& name,
                               const CompileOptions& options, Purpose purpose, const std::filesystem::path& work);

}  // namespace assay::metal::emulator
