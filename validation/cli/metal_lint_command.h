// `assay metal lint FILE.metal`: what Apple's compiler would refuse, found without one.
#pragma once

#include <CLI/CLI.hpp>

#include "validation/cli/commands.h"

namespace assay::validation {

void add_metal_lint_command(CLI::App& metal, Action& action);

}  // namespace assay::validation
