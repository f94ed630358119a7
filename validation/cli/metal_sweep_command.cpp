// assay metal sweep FILE.metal ...: is each barrier of a kernel needed, and would its loss be noticed?
#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "validation/cli/commands.h"
#include "validation/cli/shader_options.h"
#include "validation/core/terminal.h"
#include "validation/report/report_file.h"
#include "validation/shader/sweep.h"

namespace assay::validation {
namespace {

using metal::emulator::BarrierMutant;
using metal::emulator::BarrierSweep;

void tell_of(const BarrierMutant& mutant) {
  const std::string change = fmt::format("{}: {}", to_string(mutant.barrier), mutant.change);
  if (mutant.reports.empty())
    tell("{}: not noticed\n", change);
  else
    tell("{}: {} at {}\n", change, to_string(mutant.reports.front().check),
         to_string(mutant.reports.front().event.position));
}

int sweep(const ShaderOptions& options) {
  if (!options.has_dispatch()) throw std::invalid_argument("--grid: expected the number of threads to run, x[,y[,z]]");
  const ShaderScript script = options.script();
  const auto sweep = sweep_shader(script);
  if (!sweep) {
    tell("{}\n", sweep.error().text);
    return 1;
  }
  for (const auto* mutants : {&sweep->reported, &sweep->survivors})
    for (const BarrierMutant& mutant : *mutants) tell_of(mutant);
  const std::size_t all = sweep->reported.size() + sweep->survivors.size();
  tell("{}: {} of {} changes to barriers are noticed\n", script.source.filename().string(), sweep->reported.size(),
       all);
  if (!options.json().empty()) write_atomically(options.json(), to_json(*sweep));
  return sweep->survivors.empty() ? 0 : 1;
}

}  // namespace

void add_metal_sweep_command(CLI::App& metal, Action& action) {
  auto* command = metal.add_subcommand("sweep", "Delete and weaken each barrier of a kernel: which are noticed?");
  const auto options = std::make_shared<ShaderOptions>();
  options->add_source(*command, "The shader, a .metal file, or a script of dispatches, a .json file");
  options->add_dispatch(*command);
  command->footer(
      "Each change must make the checks find something. If it does not, the barrier is stronger than needed, or the "
      "dispatch does not exercise what it protects.\n"
      "Exit status: 0 all changes are noticed, 1 some are not, or the unchanged shader is reported, 2 bad usage.");
  command->callback([&action, options] { action = [options] { return sweep(*options); }; });
}

}  // namespace assay::validation
