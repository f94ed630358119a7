#include "validation/cli/data.h"

#include "metal/device/program_file.h"

namespace assay::validation {

std::filesystem::path data_file(const std::string& name) {
  return metal::program_file(name, std::filesystem::path(ASSAY_DATA_DIR) / name);
}

}  // namespace assay::validation
