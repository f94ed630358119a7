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

/// A run of clang: from standard input to `output`.
struct CompilingStep {
  std::vector<std::string> flags;
  std::filesystem::path output;
};

/// From translated text to a shared object; the input of each step is the output of the one before. Checked shaders get
/// their hooks in front of every access before anything is optimised: an optimiser removes reads whose value nobody
/// uses, but not the calls of hooks.
std::vector<CompilingStep> compiling_steps(bool is_checked, const std::filesystem::path& object);

/// From text translated for lint on standard input to messages.
std::vector<std::string> linting_flags();

}  // namespace assay::metal::emulator
