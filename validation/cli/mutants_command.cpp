// assay mutants: runs the gate on kernels with planted faults and tells which property caught which.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "validation/cli/commands.h"
#include "validation/core/terminal.h"
#include "validation/ctc/faults/faults.h"
#include "validation/ctc/gate.h"

namespace assay::validation {
namespace {

struct MutantsArguments {
  std::string filter;
  int cases = 200;
  std::uint64_t seed = 1;
  int digits = 50;
  bool all = false;
  bool list = false;
};

/// The property's report on the fault: no shrinking, no given cases, up to the first failure.
CtcPropertyReport attack(const CtcProperty& property, const CtcFault& fault, const MutantsArguments& arguments) {
  Coverage unused;
  const CtcGateOptions options{.cases = arguments.cases, .seed = arguments.seed, .shrink_budget = 0, .given = {}};
  return run_property(property, {*fault.kernel, arguments.digits}, options, unused);
}

/// The names of the properties that catch the fault, the one meant to first; with `all`, every one that does.
std::vector<std::string> catchers(const CtcFault& fault, const MutantsArguments& arguments, ProgressBar& bar,
                                  double done, double total, int& cases) {
  std::vector<std::string> names;
  const auto try_property = [&](const CtcProperty& property) {
    bar.show(done, total, fmt::format("{} by {}", fault.name, property.name));
    const auto report = attack(property, fault, arguments);
    if (!report.failure) return;
    if (names.empty()) cases = report.cases;
    names.push_back(property.name);
  };
  for (const auto& property : ctc_properties()) {
    if (property.name == fault.caught_by) try_property(property);
  }
  for (const auto& property : ctc_properties()) {
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

int list_faults() {
  for (const auto& fault : ctc_faults()) fmt::print("  fault:{:<32} {}\n", fault.name, fault.story);
  return 0;
}

int run_mutants(const MutantsArguments& arguments) {
  const bool colour = wants_colour(stdout);
  ProgressBar bar;
  int survivors = 0;
  int strays = 0;
  int count = 0;
  fmt::print("assay mutants: {} planted faults, {} generated cases a property (seed {})\n\n", ctc_faults().size(),
             arguments.cases, arguments.seed);
  fmt::print("  {:<34}{:<9}{:>9}  {}\n", "fault", "fate", "at case", "caught by");
  for (const auto& fault : ctc_faults()) {
    if (fault.name.find(arguments.filter) == std::string::npos) continue;
    int cases = 0;
    const auto names = catchers(fault, arguments, bar, count++, static_cast<double>(ctc_faults().size()), cases);
    bar.clear();
    const bool survived = names.empty();
    const bool stray = !survived && names.front() != fault.caught_by;
    survivors += survived ? 1 : 0;
    strays += stray ? 1 : 0;
    const auto fate = paint(fmt::format("{:<9}", survived ? "SURVIVED" : "killed"),
                            fmt::fg(survived ? fmt::terminal_color::red : fmt::terminal_color::green), colour);
    fmt::print("  {:<34}{}{:>9}  {}{}\n", fault.name, fate, survived ? "-" : std::to_string(cases), joined(names),
               stray ? fmt::format(" (meant for {})", fault.caught_by) : "");
    std::fflush(stdout);
  }
  if (count == 0) {
    fmt::print(stderr, "assay mutants: no fault matches the filter; `assay mutants --list` names them\n");
    return 2;
  }
  fmt::print("\n{} of {} faults killed, {} by another property than the one meant\n", count - survivors, count, strays);
  return survivors + strays > 0 ? 1 : 0;
}

}  // namespace

void add_mutants_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<MutantsArguments>();
  auto* mutants =
      app.add_subcommand("mutants", "Run the gate on kernels with planted faults: every one must be caught");
  mutants->add_option("--filter", arguments->filter, "Only faults whose name contains this");
  mutants->add_option("--cases", arguments->cases, "Generated cases for each property")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  mutants->add_option("--seed", arguments->seed, "Seed of the generated cases")->capture_default_str();
  mutants->add_option("--digits", arguments->digits, "Decimal digits of the reference")
      ->check(CLI::Range(30, 10'000))
      ->capture_default_str();
  mutants->add_flag("--all", arguments->all, "Name every property that catches a fault, not the first alone");
  mutants->add_flag("--list", arguments->list, "List the faults and stop");
  mutants->callback([&action, arguments] {
    action = [arguments] { return arguments->list ? list_faults() : run_mutants(*arguments); };
  });
}

}  // namespace assay::validation
