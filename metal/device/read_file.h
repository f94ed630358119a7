// A whole file as text.
#pragma once

#include <filesystem>
#include <string>

#include "metal/device/result.h"

namespace assay::metal {

/// Errors: environment, with the file's name and the reason.
Result<std::string> read_file(const std::filesystem::path& file);

}  // namespace assay::metal
