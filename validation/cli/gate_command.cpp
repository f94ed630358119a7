// assay gate: judges a kernel by every property; without a name, the project's kernel for CPUs.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "metal/emulator/compile/math_mode.h"
#include "validation/algebras.h"
#include "validation/cli/commands.h"
#include "validation/cli/input_options.h"
#include "validation/cli/judge_kernels.h"
#include "validation/cli/plugin_options.h"
#include "validation/cli/seed_option.h"
#include "validation/core/explanation.h"
#include "validation/registry.h"
#include "validation/transport/declaration/keywords.h"

namespace assay::validation {
namespace {

std::vector<std::string> reach_names() {
  std::vector<std::string> names;
  for (const Reach reach : all_reaches) names.emplace_back(name_of(reach));
  return names;
}

template <class Operation>
int list_properties(bool with_algebra) {
  for (const auto* property : all_properties<Operation>(with_algebra))
    tell("  {:<17} {}\n", property->name, property->claim);
  return 0;
}

template <class Operation>
int list_declarations() {
  tell("{}\n", transport::keywords<Operation>().dump(2));
  return 0;
}

/// The kernel that was asked for, or `cpu`, which takes seconds; of a shader, one for each arithmetic.
std::vector<std::string> chosen_kernels(const GateArguments& arguments) {
  if (!arguments.arithmetic.empty()) return arguments.choice.names_in(arguments.arithmetic);
  const std::string name = arguments.choice.name();
  return {name.empty() ? "cpu" : name};
}

template <class Operation>
int judge_chosen(const GateArguments& arguments, bool cases_chosen) {
  const auto kernels = chosen_kernels(arguments);
  transport::set_time_limit(arguments.time_limit);
  GateRun run = run_of<Operation>(arguments, cases_chosen);
  if (arguments.explain || !arguments.arithmetic.empty()) run.why = why_of;
  return judge_kernels<Operation>(arguments, run, kernels, [&](const std::string& name) {
    return subject_called<Operation>(name, arguments.digits, arguments.algebra);
  });
}

}  // namespace

void add_gate_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<GateArguments>();
  auto* gate = app.add_subcommand("gate", "Judge kernels by every property, on generated cases and real input");
  gate->footer("Ctrl-C and SIGTERM end a run after the current case, and keep the results so far.");
  gate->add_option("operation", arguments->operation, "What to judge")
      ->check(CLI::IsMember(operation_names()))
      ->capture_default_str();
  add_kernel_options(*gate, arguments->choice);
  gate->add_option("--input", arguments->input, "Judge on this batch (.npz) instead of the built-in ones")
      ->check(CLI::ExistingFile);
  auto* cases = gate->add_option("--cases", arguments->cases, "Generated cases for each property")
                    ->check(CLI::Range(0, 100'000'000))
                    ->capture_default_str();
  add_seed(*gate, arguments->seed,
           "Seed of the generated cases; fresh: one that nobody can foresee, for kernels you mistrust")
      ->transform(fresh_seed);
  gate->add_option("--digits", arguments->digits, "Decimal digits of the reference")
      ->check(CLI::Range(30, 10'000))
      ->capture_default_str();
  gate->add_option("--filter", arguments->filter, "Only properties whose name matches this regular expression");
  add_time_limit(*gate, arguments->time_limit);
  add_memory_limit(*gate);
  auto* quick =
      gate->add_flag("--quick", arguments->quick, "40 cases for each property and few large sizes: ten seconds");
  gate->add_flag("--thorough", arguments->thorough, "5000 cases and all large sizes for each property: a run overnight")
      ->excludes(quick);
  gate->add_option("--reach", arguments->reach, "Cases of one large extent: none, quick, full or thorough")
      ->check(CLI::IsMember(reach_names()));
  add_report_options(*gate, arguments->files);
  gate->add_option("--resume", arguments->resume, "Continue the run of this JSON report, and update the report");
  gate->add_flag("--generated", arguments->generated,
                 "Generated cases and few large sizes alone: no real input, no sizes people train with");
  gate->add_flag("--algebra", arguments->algebra,
                 "Also by the property `algebra` (ctc, cce): a shader's formula, without a tolerance");
  std::vector<std::string> arithmetics(metal::emulator::math_mode_names.begin(),
                                       metal::emulator::math_mode_names.end());
  arithmetics.emplace_back("all");
  gate->add_option(
          "--arithmetic", arguments->arithmetic,
          "Compute a shader with the worst roundings that a mode of Metal's compiler permits, on the emulator: "
          "safe, relaxed, fast or all; with --explain")
      ->check(CLI::IsMember(arithmetics));
  gate->add_flag(
      "--explain", arguments->explain,
      "Follow the operations of a shader, or of an instrumented plug-in, on a failing case: what made the NaN, "
      "which lines lost the digits");
  gate->add_flag("--list", arguments->list, "List the properties and stop");
  gate->add_flag("--declarations", arguments->declarations, "Print what a kernel may declare, as JSON, and stop");
  gate->callback([&action, arguments, cases] {
    action = [arguments, cases] {
      return with_operation(arguments->operation, [&]<class Operation>(Operation) {
        if (arguments->list) return list_properties<Operation>(arguments->algebra);
        if (arguments->declarations) return list_declarations<Operation>();
        return judge_chosen<Operation>(*arguments, cases->count() > 0);
      });
    };
  });
}

}  // namespace assay::validation
