// `assay diagnose batch.npz`: what is wrong with a user's batch, in plain words.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>

namespace CLI {
class App;
}

namespace assay::validation {

/// Prints the diagnosis of the batch in `path`, losses to `digits` digits, and writes it to the file `json` as well,
/// unless `json` is empty. Throws std::runtime_error if writing fails.
/// Returns 0 if nothing is wrong, 1 if something is wrong, 2 if `path` cannot be read as a batch; `out` says why.
int diagnose_command(const std::filesystem::path& path, int digits, bool colour, std::ostream& out,
                     const std::filesystem::path& json = {});

/// Adds the subcommand to `app`. Parsing it sets `action`, which returns the exit status.
void add_diagnose_command(CLI::App& app, std::function<int()>& action);

}  // namespace assay::validation
