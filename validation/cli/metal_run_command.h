// assay metal run: a kernel of a .metal file on any device, from .npy to .npy.
#pragma once

#include "validation/cli/commands.h"

namespace assay::validation {

void add_metal_run_command(CLI::App& metal, Action& action);

}  // namespace assay::validation
