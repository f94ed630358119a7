// Where the .metal files are.
#pragma once

#include <filesystem>
#include <string>

namespace assay::metal::host {

/// The file `name` of metal/kernels: the one installed with this program, else that of the source tree.
std::filesystem::path kernel_file(const std::string& name);

}  // namespace assay::metal::host
