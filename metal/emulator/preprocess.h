// A .metal file after its preprocessor: what both the compiler of shaders and lint begin with.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "metal/emulator/clang.h"
#include "metal/emulator/compile.h"

namespace assay::metal::emulator {

enum class Purpose { run, lint };

/// Line markers keep the places of `name`; `work` is a folder for files in between.
Result<std::string> preprocess(const Clang& clang, std::string_view source, const std::filesystem::path& name,
                               const CompileOptions& options, Purpose purpose, const std::filesystem::path& work);

/// Where compiled shaders are kept: CompileOptions::cache.
std::filesystem::path cache_folder(const CompileOptions& options);

}  // namespace assay::metal::emulator
