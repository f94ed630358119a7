// Where this program is, and files that are installed with it.
#pragma once

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/runtime_symbol_info.hpp>
#include <filesystem>
#include <system_error>

namespace assay::metal {

/// The path of this program; empty if the system does not tell it.
inline std::filesystem::path program_path() {
  std::error_code problem;
  return boost::dll::program_location(problem);
}

/// share/assay/`name` beside this program if it is installed, else `source`, in the source tree.
inline std::filesystem::path program_file(const std::filesystem::path& name, const std::filesystem::path& source) {
  std::error_code problem;
  const std::filesystem::path installed = program_path().parent_path().parent_path() / "share" / "assay" / name;
  return exists(installed, problem) ? installed : source;
}

}  // namespace assay::metal
