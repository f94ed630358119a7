// assay gate: judges the shipped kernels, or one that is named, by every property.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

#include "validation/cli/commands.h"
#include "validation/cli/data.h"
#include "validation/cli/gate_table.h"
#include "validation/cli/operations.h"

namespace assay::validation {
namespace {

struct GateArguments {
  std::string operation = "ctc";
  std::string kernel;
  std::string input;
  std::string filter;
  int cases = 200;
  std::uint64_t seed = 1;
  int digits = 50;
  bool quick = false;
  bool list = false;
};

template <class Operation>
int list_properties() {
  for (const auto& property : Operation::properties()) fmt::print("  {:<17} {}\n", property.name, property.claim);
  return 0;
}

template <class Operation>
NamedCase<Operation> read_input(const std::filesystem::path& path) {
  std::vector<std::string> notes;
  NamedCase<Operation> given{path.filename().string(), Operation::read(path, notes), false};
  try {
    Operation::require_valid(given.problem);
  } catch (const std::invalid_argument& refusal) {
    const std::string advice =
        std::is_same_v<Operation, CtcOperation>
            ? fmt::format("\nassay: `assay diagnose {}` tells what is wrong with the batch", path.string())
            : "";
    throw std::runtime_error(fmt::format("{}: {}{}", given.name, refusal.what(), advice));
  }
  for (const auto& note : notes) fmt::print("note: {}\n", note);
  return given;
}

/// The user's batch alone, or real input and the sizes people train with.
template <class Operation>
std::vector<NamedCase<Operation>> given_cases(const GateArguments& arguments) {
  if (!arguments.input.empty()) return {read_input<Operation>(arguments.input)};
  std::vector<NamedCase<Operation>> given;
  for (const char* const file : Operation::data_files) given.push_back(read_input<Operation>(data_file(file)));
  if (arguments.quick) return given;
  for (auto& sized : Operation::sized_cases()) given.push_back(std::move(sized));
  return given;
}

template <class Operation>
GateRun<Operation> run_of(const GateArguments& arguments, bool cases_chosen) {
  GateRun<Operation> run;
  run.filter = arguments.filter;
  run.digits = arguments.digits;
  run.options.seed = arguments.seed;
  run.options.cases = arguments.quick && !cases_chosen ? 40 : arguments.cases;
  if (!arguments.input.empty() && !cases_chosen) run.options.cases = 0;
  run.options.given = given_cases<Operation>(arguments);
  return run;
}

template <class Operation>
int gate(const GateArguments& arguments, bool cases_chosen) {
  const GateRun<Operation> run = run_of<Operation>(arguments, cases_chosen);
  const auto kernels =
      arguments.kernel.empty() ? Operation::shipped_kernels() : std::vector<std::string>{arguments.kernel};
  Report report;
  for (const auto& name : kernels) {
    GateTable table(stdout);
    report.runs.push_back(run_gate(*Operation::kernel(name), run, table.watch({})));
    table.conclusion(report.runs.back());
  }
  return exit_status(report);
}

}  // namespace

void add_gate_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<GateArguments>();
  auto* gate = app.add_subcommand("gate", "Judge kernels by every property, on generated cases and real input");
  gate->add_option("operation", arguments->operation, "What to judge")
      ->check(CLI::IsMember(operation_names()))
      ->capture_default_str();
  gate->add_option("--kernel", arguments->kernel,
                   "cpu, metal-emulated, metal-plain, plain or fault:NAME instead of the shipped kernels");
  gate->add_option("--input", arguments->input, "Judge on this batch (.npz) instead of the built-in ones")
      ->check(CLI::ExistingFile);
  auto* cases = gate->add_option("--cases", arguments->cases, "Generated cases for each property")
                    ->check(CLI::Range(0, 100'000'000))
                    ->capture_default_str();
  gate->add_option("--seed", arguments->seed, "Seed of the generated cases")->capture_default_str();
  gate->add_option("--digits", arguments->digits, "Decimal digits of the reference")
      ->check(CLI::Range(30, 10'000))
      ->capture_default_str();
  gate->add_option("--filter", arguments->filter, "Only properties whose name matches this regular expression");
  gate->add_flag("--quick", arguments->quick, "40 cases for each property, no large sizes: under ten seconds");
  gate->add_flag("--list", arguments->list, "List the properties and stop");
  gate->callback([&action, arguments, cases] {
    action = [arguments, cases] {
      return with_operation(arguments->operation, [&]<class Operation>(Operation) {
        return arguments->list ? list_properties<Operation>() : gate<Operation>(*arguments, cases->count() > 0);
      });
    };
  });
}

}  // namespace assay::validation
