// assay metal check FILE.metal: faults of a shader, found without an Apple GPU. Further subcommands have their own
// files.
#include <fmt/format.h>

#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>

#include "metal/emulator/compile/cleanup.h"
#include "metal/emulator/emulator_device.h"
#include "validation/cli/commands.h"
#include "validation/cli/finding_options.h"
#include "validation/cli/metal_serve.h"
#include "validation/cli/shader_options.h"
#include "validation/core/parse.h"
#include "validation/core/terminal.h"
#include "validation/report/report_file.h"
#include "validation/shader/compiled.h"
#include "validation/shader/json.h"
#include "validation/shader/listing.h"
#include "validation/shader/numerics_html.h"
#include "validation/shader/numerics_text.h"
#include "validation/shader/schedules.h"

namespace assay::validation {
namespace {

using metal::emulator::ThreadOrder;

struct CheckOptions : ShaderOptions, FindingOptions {
  ThreadOrder order = ThreadOrder::forward;
  unsigned os_threads = 0;
  bool with_numerics = false;
  std::string html;  ///< empty: none
  std::uint64_t schedules = 0;
  std::string arithmetic;  ///< empty: IEEE
  std::vector<std::string> only_groups;

  /// Whether an option says what only a run can answer.
  bool wants_run() const {
    return with_numerics || schedules > 0 || !arithmetic.empty() || !only_groups.empty() ||
           (writes_findings() && !has_kernel());
  }
};

/// A number, "last", or a range of two of them.
metal::emulator::GroupRange group_range(const std::string& text) {
  const auto number = [&](const std::string& part) {
    if (part == "last") return metal::emulator::GroupRange::end_of_grid;
    const auto value = parse_number<std::uint64_t>(part);
    if (value) return *value;
    throw std::invalid_argument(
        fmt::format("--only-groups {}: expected numbers of threadgroups from 0 on, as in 0,17,100-120,last", text));
  };
  const auto dash = text.find('-');
  const metal::emulator::GroupRange range{number(text.substr(0, dash)),
                                          number(dash == std::string::npos ? text : text.substr(dash + 1))};
  if (range.first > range.last)
    throw std::invalid_argument(fmt::format("--only-groups {}: expected a rising range", text));
  return range;
}

int compile(const CheckOptions& options) {
  ShaderScript script = options.script();
  const auto names = kernel_names(script, compile_options(script));
  if (names) script = with_kernels(script, *names);
  const auto compiled = names ? compile_kernels(script, compile_options(script)) : tl::unexpected(names.error());
  if (!compiled && compiled.error().kind != metal::Error::Kind::compile)
    throw std::invalid_argument(compiled.error().text);
  options.write(compiled ? std::vector<ShaderFinding>{} : findings_in(compiled.error().text, "compile"));
  if (compiled && !options.json().empty()) write_atomically(options.json(), list_shader_as_json(script));
  tell("{}\n", compiled ? fmt::format("{} {}: compiles", script.source.string(), script.passes[0].function)
                        : compiled.error().text);
  return compiled ? 0 : 1;
}

/// Lists all kernels and compiles nothing if no kernel is named; otherwise compiles the named kernel.
int list_or_compile(const CheckOptions& options) {
  if (options.has_kernel() && !options.wants_run()) return compile(options);
  const std::string command = command_to_check(options.script());
  if (options.wants_run())
    throw std::invalid_argument("--grid: expected the number of threads to run" +
                                (command.empty() ? "" : ", as in\n  " + command));
  tell("{}", list_shader(options.script()));
  if (!command.empty()) tell("\nNothing was run. To check it, with sizes of your own:\n  {}\n", command);
  if (!options.json().empty()) write_atomically(options.json(), list_shader_as_json(options.script()));
  return 0;
}

int check(const CheckOptions& options) {
  if (!options.has_dispatch()) return list_or_compile(options);
  ShaderScript script = options.script();
  script.keeps_contents = false;
  auto emulator = emulator_options(script);
  emulator.order = options.order;
  emulator.os_threads = options.os_threads;
  emulator.with_numerics = options.with_numerics;
  emulator.math_mode = metal::emulator::math_mode_called(options.arithmetic).value_or(metal::emulator::MathMode::ieee);
  for (const std::string& groups : options.only_groups) emulator.only_groups.push_back(group_range(groups));
  metal::emulator::EmulatorDevice device(emulator);
  ShaderOutcome outcome = run_shader(device, script);
  if (options.schedules > 0 && outcome.passed()) compare_schedules(script, emulator, options.schedules, outcome);
  print_outcome(script, outcome);
  for (const auto& losses : outcome.losses) tell("\n{}", numerics_text(losses));
  if (!options.html.empty()) write_atomically(options.html, numerics_html(script, outcome));
  options.write(findings_of(script, outcome));
  if (!options.json().empty()) write_atomically(options.json(), to_json(script, outcome));
  return outcome.passed() ? 0 : 1;
}

void add_check_command(CLI::App& metal, Action& action) {
  auto* command = metal.add_subcommand(
      "check",
      "Run a kernel on the emulator, every access checked; without --buffer and --grid, compile it, or list all");
  const auto options = std::make_shared<CheckOptions>();
  options->add_source(*command, "The shader, a .metal file, or a script of dispatches, a .json file");
  options->add_dispatch(*command);
  const std::map<std::string, ThreadOrder> orders = {
      {"forward", ThreadOrder::forward}, {"reverse", ThreadOrder::reverse}, {"random", ThreadOrder::random}};
  command->add_option("--order", options->order, "Order of threads between barriers: forward, reverse, random")
      ->transform(CLI::CheckedTransformer(orders));
  command
      ->add_option("--only-groups", options->only_groups,
                   "Run these threadgroups alone, numbered along x, then y, then z: 0,17,100-120,last")
      ->delimiter(',');
  command
      ->add_option("--threads", options->os_threads,
                   "OS threads that run threadgroups; 0: as many as the machine runs at once")
      ->check(CLI::Range(0, 4096));
  auto* numerics =
      command->add_flag("--numerics", options->with_numerics,
                        "Follow every floating-point operation: where NaN comes from, which lines lose digits");
  command
      ->add_option("--html", options->html,
                   "Also write what --numerics finds to this file: the source as a heat map of the error")
      ->needs(numerics);
  command->add_option("--schedules", options->schedules,
                      "If nothing else is found, run so many random interleavings of threads and threadgroups at their "
                      "atomic accesses: do they give the same bits?");
  command
      ->add_option("--arithmetic", options->arithmetic,
                   "Compute with the worst roundings that this mode of Metal's compiler permits: safe, relaxed or fast")
      ->check(CLI::IsMember(metal::emulator::math_mode_names));
  options->add_findings(*command);
  command->callback([&action, options] { action = [options] { return check(*options); }; });
}

/// Other programs call `serve`; --help does not list it.
void add_serve_command(CLI::App& metal, Action& action) {
  auto* command = metal.add_subcommand("serve", "Answer calls of a shader with a binding, on standard input");
  command->group("");
  const auto binding = std::make_shared<std::string>();
  command->add_option("binding", *binding, "The binding, a .json file")->required();
  command->callback([&action, binding] { action = [binding] { return serve_shader(*binding, std::cin, std::cout); }; });
}

}  // namespace

void add_metal_command(CLI::App& app, Action& action) {
  auto* metal = app.add_subcommand("metal", "Check or run a .metal shader, without an Apple GPU too");
  metal->require_subcommand(1);
  metal->callback(metal::emulator::clean_up_when_interrupted);
  add_check_command(*metal, action);
  add_metal_run_command(*metal, action);
  add_metal_lint_command(*metal, action);
  add_metal_list_command(*metal, action);
  add_metal_sweep_command(*metal, action);
  add_serve_command(*metal, action);
}

}  // namespace assay::validation
