// `assay metal check FILE.metal` and `assay metal lint FILE.metal` find faults of a shader without an Apple GPU.
#pragma once

#include <CLI/CLI.hpp>

#include "validation/cli/commands.h"

namespace assay::validation {

/// Adds the subcommands. Parsing one sets `action`, which returns the exit status: 0 if nothing was found, 1 if
/// something was reported or refused, 2 for bad usage.
void add_metal_command(CLI::App& app, Action& action);

}  // namespace assay::validation
