// `assay metal check FILE.metal` and `assay metal lint FILE.metal`: a shader's faults, found without an Apple GPU.
#pragma once

#include <CLI/CLI.hpp>

#include "validation/cli/commands.h"

namespace assay::validation {

/// Adds the subcommands; parsing one sets `action` to what returns the exit status: 0 nothing found, 1 something
/// reported or refused, 2 bad usage.
void add_metal_command(CLI::App& app, Action& action);

}  // namespace assay::validation
