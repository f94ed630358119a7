// Where the .metal files lie.
#pragma once

#include <filesystem>
#include <string>

namespace assay::metal::host {

/// The file `name` of metal/kernels: as installed with this program, else in the source tree that it was built from.
std::filesystem::path kernel_file(const std::string& name);

}  // namespace assay::metal::host
