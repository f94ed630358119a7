// The data files that come with the program.
#pragma once

#include <filesystem>
#include <string>

namespace assay::validation {

/// The path of `name`: in ../share/assay beside an installed program, else in notebooks/data of the source tree.
std::filesystem::path data_file(const std::string& name);

}  // namespace assay::validation
