#include "metal/host/kernel_file.h"

#include "metal/device/program_file.h"

namespace assay::metal::host {

std::filesystem::path kernel_file(const std::string& name) {
  return program_file(std::filesystem::path("kernels") / name, std::filesystem::path(ASSAY_KERNELS_DIR) / name);
}

}  // namespace assay::metal::host
