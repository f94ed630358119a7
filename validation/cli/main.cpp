// assay: tells the author of a numerical kernel whether it is right, by how much it is off, where, and why.
#include <fmt/format.h>

#include <exception>

#include "validation/cli/commands.h"

namespace {

constexpr int bad_usage = 2;

int run(int argc, char** argv) {
  CLI::App app(
      "Judges kernels of CTC, linear cross-entropy and the SVD by an any-precision reference, under derived error "
      "bounds,\n"
      "and checks Metal shaders.",
      "assay");
  app.require_subcommand(1);
  app.footer("Exit status: 0 all passed, 1 something failed, 2 bad usage.");
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : bad_usage;
  }
  return action();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "assay: {}\n", error.what());
    return bad_usage;
  }
}
