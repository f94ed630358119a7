// Where the program assay_plugin_worker lies.
#pragma once

#include <filesystem>

namespace assay::validation::transport {

/// What the environment's ASSAY_PLUGIN_WORKER names; else beside this program or in ../libexec/assay, as installed;
/// else where it was built, or installed at first. Throws std::runtime_error where there is none.
std::filesystem::path worker_path();

}  // namespace assay::validation::transport
