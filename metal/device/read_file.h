// A whole file as text, or as lines of text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "metal/device/result.h"

namespace assay::metal {

/// Errors: environment, with the file's name and the reason.
Result<std::string> read_file(const std::filesystem::path& file);

/// Its lines, without their ends. Errors: as above.
Result<std::vector<std::string>> read_lines(const std::filesystem::path& file);

}  // namespace assay::metal
