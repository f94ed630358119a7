// What clang says of private variables that are read before they are written, and where that is kept in the cache.
#pragma once

#include <filesystem>
#include <string>

#include "metal/device/result.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/flags.h"

namespace assay::metal::emulator {

/// Clang's messages about the input of the first step, the file `input`, for private_reads.h. Where its static analyzer takes
/// more than limits_for_analysis or crashes, the messages are those of its warnings alone. Errors: compile;
/// environment.
Result<std::string> analysis_of_text(const Clang& clang, const CompilingStep& first, const std::filesystem::path& input,
                                     const std::filesystem::path& output);

/// The file of the messages about a compiled shader, beside it in the cache. There is one, maybe empty, for each shader
/// that is compiled for checking.
std::filesystem::path analysis_of(const std::filesystem::path& object);

}  // namespace assay::metal::emulator
