// The compiler's flags for each step of a shader's way.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "metal/emulator/preprocess.h"

namespace assay::metal::emulator {

/// From .metal on standard input to text without directives on standard output.
std::vector<std::string> preprocessing_flags(const CompileOptions& options, Purpose purpose,
                                             const std::filesystem::path& headers, const std::filesystem::path& folder);

/// From translated text on standard input to a shared object.
std::vector<std::string> compiling_flags(bool is_checked, const std::filesystem::path& object);

/// From text translated for lint on standard input to messages.
std::vector<std::string> linting_flags();

}  // namespace assay::metal::emulator
