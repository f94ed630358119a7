#include "validation/cli/data.h"

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/runtime_symbol_info.hpp>

namespace assay::validation {

std::filesystem::path data_file(const std::string& name) {
  const std::filesystem::path folder = boost::dll::program_location().parent_path();
  const std::filesystem::path installed = folder.parent_path() / "share" / "assay" / name;
  return exists(installed) ? installed : std::filesystem::path(ASSAY_DATA_DIR) / name;
}

}  // namespace assay::validation
