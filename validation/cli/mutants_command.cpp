// assay mutants: runs the gate on kernels with planted faults and tells which property caught which.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "metal/emulator/compile/cleanup.h"
#include "validation/cli/commands.h"
#include "validation/cli/seed_option.h"
#include "validation/core/kernel_unavailable.h"
#include "validation/core/subject_of.h"
#include "validation/core/terminal.h"
#include "validation/registry.h"

namespace assay::validation {
namespace {

struct MutantsArguments {
  std::string operation;  ///< empty: all
  std::string filter;
  int cases = 200;
  std::uint64_t seed = 1;
  int digits = 50;
  bool all = false;
  bool list = false;
  bool quick = false;
};

/// The property's report on the fault: no shrinking, up to the first failure. A fault that only needle cases show, or
/// sized ones, gets these alone; a quick run has no sized cases.
template <class Operation>
PropertyReport attack(const Property<Operation>& property, const Fault<Operation>& fault,
                      const MutantsArguments& arguments) {
  Coverage unused;
  const bool gets_sizes = fault.needs_sizes && !arguments.quick;
  const GateOptions options{.cases = fault.needs_reach || gets_sizes ? 0 : arguments.cases,
                            .seed = arguments.seed,
                            .shrink_budget = 0,
                            .given = gets_sizes ? Operation::sized_cases() : std::vector<GivenCase>(),
                            .reach = !fault.needs_reach ? Reach::none
                                     : arguments.quick  ? Reach::quick
                                                        : Reach::full};
  const Context<Operation> context{
      .kernel = *fault.kernel, .digits = arguments.digits, .fresh_kernel = kernel_called<Operation>};
  return run_property(property, context, options, unused);
}

/// The names of the properties that catch the fault. Tries fault.caught_by first and, without `all`, stops at a catch.
template <class Operation>
std::vector<std::string> catchers(const Fault<Operation>& fault, const MutantsArguments& arguments,
                                  const std::function<void(const std::string&)>& show, std::int64_t& cases) {
  std::vector<std::string> names;
  const auto try_property = [&](const Property<Operation>& property) {
    show(property.name);
    const auto report = attack(property, fault, arguments);
    if (!report.failure) return;
    if (names.empty()) cases = report.cases;
    names.push_back(property.name);
  };
  for (const auto& property : Operation::properties()) {
    if (property.name == fault.caught_by) try_property(property);
  }
  for (const auto& property : Operation::properties()) {
    if (!names.empty() && !arguments.all) break;
    if (property.name != fault.caught_by) try_property(property);
  }
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

template <class Operation>
int list_faults() {
  for (const auto& fault : Operation::faults()) tell("  fault:{:<32} {}\n", fault.name, fault.description);
  return 0;
}

struct Tally {
  int faults = 0;
  int survivors = 0;
  int strays = 0;  ///< faults that a property other than caught_by caught
  int not_run = 0;
  std::string why_not;  ///< the last of them was not run
};

/// A fault of a kernel that this machine cannot run is neither killed nor a survivor.
void leave_out(const std::string& fault, const KernelUnavailable& error, ProgressBar& bar, Tally& tally) {
  bar.clear();
  ++tally.not_run;
  tally.why_not = error.what();
  tell("  {:<34}{:<9}{:>9}\n", fault, "not run", "-");
}

/// Prints one row of the table and adds the result to the tally.
template <class Operation>
void try_fault(const Fault<Operation>& fault, const MutantsArguments& arguments, ProgressBar& bar, Tally& tally) {
  std::int64_t cases = 0;
  const auto total = static_cast<double>(Operation::faults().size());
  const auto show = [&](const std::string& property) {
    bar.show(tally.faults, total, fmt::format("{} by {}", fault.name, property));
  };
  const auto names = catchers(fault, arguments, show, cases);
  bar.clear();
  const bool survived = names.empty();
  const bool stray = !survived && names.front() != fault.caught_by;
  ++tally.faults;
  tally.survivors += survived ? 1 : 0;
  tally.strays += stray ? 1 : 0;
  const auto fate =
      paint(fmt::format("{:<9}", survived ? "SURVIVED" : "killed"),
            fmt::fg(survived ? fmt::terminal_color::red : fmt::terminal_color::green), wants_colour(stdout));
  tell("  {:<34}{}{:>9}  {}{}\n", fault.name, fate, survived ? "-" : std::to_string(cases), joined(names),
       stray ? fmt::format(" (meant for {})", fault.caught_by) : "");
  flush(stdout);
}

template <class Operation>
int run_mutants(const MutantsArguments& arguments) {
  tell("assay mutants {}: {} planted faults, {} generated cases a property (seed {})\n\n", Operation::name,
       Operation::faults().size(), arguments.cases, arguments.seed);
  tell("  {:<34}{:<9}{:>9}  {}\n", "fault", "fate", "at case", "caught by");
  ProgressBar bar;
  Tally tally;
  for (const auto& fault : Operation::faults()) {
    if (fault.name.find(arguments.filter) == std::string::npos) continue;
    try {
      try_fault<Operation>(fault, arguments, bar, tally);
    } catch (const KernelUnavailable& error) {
      leave_out(fault.name, error, bar, tally);
    }
  }
  tell("\n{} of {} faults killed, {} by another property than the one meant\n", tally.faults - tally.survivors,
       tally.faults, tally.strays);
  if (tally.not_run > 0) tell(stderr, "note: {} faults were not run: {}\n", tally.not_run, tally.why_not);
  return tally.survivors + tally.strays > 0 || tally.faults == 0 ? 1 : 0;
}

template <class Operation>
bool has_fault_like(const std::string& filter) {
  const auto& faults = Operation::faults();
  return std::any_of(faults.begin(), faults.end(),
                     [&](const auto& fault) { return fault.name.find(filter) != std::string::npos; });
}

/// Runs one operation, or each operation with a fault that the filter matches.
int list_or_run(const MutantsArguments& arguments) {
  int status = 0;
  bool any = false;
  for (const std::string& name : operation_names()) {
    if (!arguments.operation.empty() && arguments.operation != name) continue;
    status = std::max(status, with_operation(name, [&]<class Operation>(Operation) {
                        if (!has_fault_like<Operation>(arguments.filter)) return 0;
                        any = true;
                        return arguments.list ? list_faults<Operation>() : run_mutants<Operation>(arguments);
                      }));
  }
  if (any) return status;
  tell(stderr, "assay mutants: no fault matches the filter; `assay mutants --list` names them\n");
  return 2;
}

}  // namespace

void add_mutants_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<MutantsArguments>();
  auto* mutants =
      app.add_subcommand("mutants", "Run the gate on kernels with planted faults: every one must be caught");
  mutants->add_option("operation", arguments->operation, "The operation whose faults are run; all if left out")
      ->check(CLI::IsMember(operation_names()));
  mutants->add_option("--filter", arguments->filter, "Only faults whose name contains this");
  const auto* const cases = mutants->add_option("--cases", arguments->cases, "Generated cases for each property")
                                ->check(CLI::Range(1, 1'000'000))
                                ->capture_default_str();
  add_seed(*mutants, arguments->seed);
  mutants->add_option("--digits", arguments->digits, "Decimal digits of the reference")
      ->check(CLI::Range(30, 10'000))
      ->capture_default_str();
  mutants->add_flag("--all", arguments->all, "Name every property that catches a fault, not only the first");
  mutants->add_flag("--quick", arguments->quick,
                    "The cases of `assay gate --quick`: 40 for each property, few large sizes");
  mutants->add_flag("--list", arguments->list, "List the faults and stop");
  mutants->callback([&action, arguments, cases] {
    if (arguments->quick && cases->count() == 0) arguments->cases = 40;
    metal::emulator::clean_up_when_interrupted();
    action = [arguments] { return list_or_run(*arguments); };
  });
}

}  // namespace assay::validation
