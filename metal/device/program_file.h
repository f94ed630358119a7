// Files that are installed with a program.
#pragma once

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/runtime_symbol_info.hpp>
#include <filesystem>
#include <system_error>

namespace assay::metal {

/// share/assay/`name` beside this program if it is installed, else `source`, in the source tree.
inline std::filesystem::path program_file(const std::filesystem::path& name, const std::filesystem::path& source) {
  std::error_code problem;
  const std::filesystem::path folder = boost::dll::program_location(problem).parent_path();
  const std::filesystem::path installed = folder.parent_path() / "share" / "assay" / name;
  return exists(installed, problem) ? installed : source;
}

}  // namespace assay::metal
