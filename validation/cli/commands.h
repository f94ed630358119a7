// The subcommands of `assay`. Each adds itself to the command line; its action runs once parsing has succeeded and
// returns the exit status: 0 all passed, 1 something failed, 2 bad usage.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace assay::validation {

using Action = std::function<int()>;

void add_gate_command(CLI::App& app, Action& action);
void add_merge_command(CLI::App& app, Action& action);
void add_replay_command(CLI::App& app, Action& action);
void add_mutants_command(CLI::App& app, Action& action);
void add_gradcheck_command(CLI::App& app, Action& action);
void add_diagnose_command(CLI::App& app, Action& action);
void add_metal_command(CLI::App& app, Action& action);
void add_devices_command(CLI::App& app, Action& action);
void add_lattice_command(CLI::App& app, Action& action);
void add_instrument_command(CLI::App& app, Action& action);

// The subcommands of `assay metal`.
void add_metal_lint_command(CLI::App& metal, Action& action);
void add_metal_list_command(CLI::App& metal, Action& action);
void add_metal_run_command(CLI::App& metal, Action& action);
void add_metal_sweep_command(CLI::App& metal, Action& action);

}  // namespace assay::validation
