// The data files that come with the program.
#pragma once

#include <filesystem>
#include <string>

#include "metal/device/program_file.h"

namespace assay::validation {

/// The path of `name`: in ../share/assay beside an installed program, else in notebooks/data of the source tree.
inline std::filesystem::path data_file(const std::string& name) {
  return metal::program_file(name, std::filesystem::path(ASSAY_DATA_DIR) / name);
}

}  // namespace assay::validation
