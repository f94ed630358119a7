// The path of the program assay_plugin_worker.
#pragma once

#include <filesystem>

namespace assay::validation::transport {

/// The environment variable ASSAY_PLUGIN_WORKER, else beside this program or in ../libexec/assay, as installed, else
/// where it was built or first installed. Throws std::runtime_error if there is no such program.
std::filesystem::path worker_path();

}  // namespace assay::validation::transport
