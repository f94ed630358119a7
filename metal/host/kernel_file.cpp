#include "metal/host/kernel_file.h"

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/runtime_symbol_info.hpp>

namespace assay::metal::host {

std::filesystem::path kernel_file(const std::string& name) {
  std::error_code problem;
  const std::filesystem::path folder = boost::dll::program_location(problem).parent_path();
  const std::filesystem::path installed = folder.parent_path() / "share" / "assay" / "kernels" / name;
  return exists(installed, problem) ? installed : std::filesystem::path(ASSAY_KERNELS_DIR) / name;
}

}  // namespace assay::metal::host
