// `assay metal sweep FILE.metal ...`: is each barrier of a kernel needed, and would its loss be noticed?
#pragma once

#include <CLI/CLI.hpp>

#include "validation/cli/commands.h"

namespace assay::validation {

void add_metal_sweep_command(CLI::App& metal, Action& action);

}  // namespace assay::validation
