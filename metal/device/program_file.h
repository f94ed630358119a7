// Where this program is, and files that are installed with it or with the library that asks.
#pragma once

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/runtime_symbol_info.hpp>
#include <boost/dll/shared_library.hpp>
#include <filesystem>
#include <system_error>

namespace assay::metal {

/// The path of this program; empty if the system does not tell it.
inline std::filesystem::path program_path() {
  std::error_code problem;
  return boost::dll::program_location(problem);
}

/// The prefix of an installation, with folders bin or lib, share and include: that of the shared library in which this
/// function is compiled, such as a module of Python, else that of the program.
inline std::filesystem::path installation_prefix() {
  std::error_code problem;
  const std::filesystem::path own = boost::dll::this_line_location(problem);
  const bool is_library = own.extension() == boost::dll::shared_library::suffix() || own.extension() == ".so";
  return (is_library ? own : program_path()).parent_path().parent_path();
}

/// share/assay/`name` in the installation, else `source`, in the source tree.
inline std::filesystem::path program_file(const std::filesystem::path& name, const std::filesystem::path& source) {
  std::error_code problem;
  const std::filesystem::path installed = installation_prefix() / "share" / "assay" / name;
  return exists(installed, problem) ? installed : source;
}

}  // namespace assay::metal
