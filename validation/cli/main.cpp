// assay: tells the author of a numerical kernel whether it is right, by how much it is off, where, and why.
#include <fmt/format.h>

#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>

#include "validation/cli/commands.h"
#include "validation/cli/run_program.h"
#include "validation/core/terminal.h"
#include "validation/report/record.h"

/// OpenBLAS asks for this number of threads when it is loaded, and takes this function in place of its own, which reads a
/// variable of the environment. This program has no use for its threads (metal/cpu/blas.h). Each would spin for a while,
/// and where addresses are limited, would try for ever to get 128 MiB of them.
extern "C" [[gnu::visibility("default")]] int openblas_num_threads_env() {
  return 1;
}

namespace {

/// Refuses an empty value for each option of the command and its subcommands: a script's unset variable would otherwise
/// be taken as no option at all. The empty word alone has a meaning.
void refuse_empty_values(CLI::App& command) {
  for (CLI::App* const one : command.get_subcommands([](CLI::App*) { return true; })) refuse_empty_values(*one);
  for (CLI::Option* const option : command.get_options([](CLI::Option*) { return true; })) {
    const std::string name = option->get_name(), meaning = option->get_description();
    if (option->get_items_expected_max() == 0 || name == "--word") continue;
    option->check([name, meaning](const std::string& value) {
      if (value.empty()) throw std::invalid_argument(fmt::format("{} '': expected a value ({})", name, meaning));
      return std::string();
    });
  }
}

int run(int argc, char** argv) {
  CLI::App app(
      "Judges kernels of CTC, linear cross-entropy and the SVD by an any-precision reference, under derived error "
      "bounds,\n"
      "and checks Metal shaders.",
      "assay");
  app.require_subcommand(1);
  app.set_version_flag("--version", "assay " + assay::validation::program_version());
  app.footer("Exit status: 0 all passed, 1 something failed, 2 bad usage, or output that cannot be written.");
  assay::validation::Action action;
  assay::validation::add_gate_command(app, action);
  assay::validation::add_merge_command(app, action);
  assay::validation::add_replay_command(app, action);
  assay::validation::add_mutants_command(app, action);
  assay::validation::add_gradcheck_command(app, action);
  assay::validation::add_diagnose_command(app, action);
  assay::validation::add_lattice_command(app, action);
  assay::validation::add_metal_command(app, action);
  assay::validation::add_instrument_command(app, action);
  assay::validation::add_devices_command(app, action);
  refuse_empty_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream help, refusal;
    const bool is_help = app.exit(error, help, refusal) == 0;
    assay::validation::tell("{}", help.str());
    assay::validation::tell(stderr, "{}", refusal.str());
    return is_help ? 0 : assay::validation::bad_usage;
  }
  return action();
}

}  // namespace

int main(int argc, char** argv) {
  return assay::validation::run_program([&] { return run(argc, argv); });
}
