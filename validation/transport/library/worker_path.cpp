#include "validation/transport/library/worker_path.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "metal/device/program_file.h"

namespace assay::validation::transport {

namespace {

/// The folder of the program, or of the library that this function is a part of: the Python module.
std::filesystem::path own_folder() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &own) == 0 || own.dli_fname == nullptr) return {};
  return std::filesystem::path(own.dli_fname).parent_path();
}

}  // namespace

std::filesystem::path worker_path() {
  if (const char* const named = std::getenv("ASSAY_PLUGIN_WORKER"); named != nullptr && *named != '\0') return named;
  std::error_code problem;
  const std::filesystem::path folder = metal::program_path().parent_path();
  const std::filesystem::path name = "assay_plugin_worker";
  for (const std::filesystem::path& path :
       {folder / name, own_folder() / "bin" / name, folder.parent_path() / "libexec" / "assay" / name,
        std::filesystem::path(ASSAY_BUILT_WORKER), std::filesystem::path(ASSAY_INSTALLED_WORKER)})
    if (is_regular_file(path, problem)) return path;
  throw std::runtime_error(
      "the program assay_plugin_worker, which calls plug-ins, is missing: build it, or name it by ASSAY_PLUGIN_WORKER");
}

}  // namespace assay::validation::transport
