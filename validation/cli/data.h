// The files that the program reads of its own accord.
#pragma once

#include <filesystem>
#include <string>

namespace assay::validation {

/// Where `name` lies: beside an installed program in ../share/assay, else in the sources' notebooks/data.
std::filesystem::path data_file(const std::string& name);

}  // namespace assay::validation
