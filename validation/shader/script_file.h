// A script in JSON, docs/metal-run.md: dispatches of one .metal file, one after the other, on arrays that they share.
#pragma once

#include <filesystem>

#include "validation/shader/script.h"

namespace assay::validation {

/// Paths in the script are relative to its folder. Throws std::invalid_argument for an invalid script, naming the key,
/// its value and what was expected.
ShaderScript read_script(const std::filesystem::path& path);

}  // namespace assay::validation
