#include "validation/cli/metal_command.h"

#include <fmt/format.h>

#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>

#include "metal/emulator/compile/cleanup.h"
#include "metal/emulator/compile/lint.h"
#include "metal/emulator/emulator_device.h"
#include "validation/cli/metal_run_command.h"
#include "validation/cli/metal_serve.h"
#include "validation/cli/shader_options.h"
#include "validation/report/report_file.h"
#include "validation/shader/compiled.h"
#include "validation/shader/json.h"
#include "validation/shader/listing.h"

namespace assay::validation {
namespace {

using metal::emulator::ThreadOrder;

struct CheckOptions : ShaderOptions {
  ThreadOrder order = ThreadOrder::forward;
};

int compile(const CheckOptions& options) {
  ShaderScript script = options.script();
  const auto names = kernel_names(script, compile_options(script));
  if (names) script = with_kernels(script, *names);
  const auto compiled = names ? compile_kernels(script, compile_options(script)) : tl::unexpected(names.error());
  if (!compiled && compiled.error().kind != metal::Error::Kind::compile)
    throw std::invalid_argument(compiled.error().text);
  fmt::print("{}\n", compiled ? fmt::format("{} {}: compiles", script.source.string(), script.passes[0].function)
                              : compiled.error().text);
  return compiled ? 0 : 1;
}

/// Without a kernel, lists all and compiles nothing. With one, compiles this one.
int list_or_compile(const CheckOptions& options) {
  if (options.has_kernel()) return compile(options);
  fmt::print("{}", list_shader(options.script()));
  if (!options.json().empty()) write_atomically(options.json(), list_shader_as_json(options.script()));
  return 0;
}

metal::emulator::EmulatorOptions emulator_options(const ShaderScript& script) {
  metal::emulator::EmulatorOptions options;
  options.language = script.language;
  options.seed = script.seed;
  return options;
}

int check(const CheckOptions& options) {
  if (!options.has_dispatch()) return list_or_compile(options);
  const ShaderScript script = options.script();
  auto emulator = emulator_options(script);
  emulator.order = options.order;
  metal::emulator::EmulatorDevice device(emulator);
  const ShaderOutcome outcome = run_shader(device, script);
  print_outcome(script, outcome);
  if (!options.json().empty()) write_atomically(options.json(), to_json(script, outcome));
  return outcome.passed() ? 0 : 1;
}

int lint(const ShaderOptions& options) {
  const ShaderScript script = options.script();
  const auto result = metal::emulator::lint_file(script.source, compile_options(script));
  if (result) {
    fmt::print("{}{}: {}\n", *result, script.source.filename().string(),
               result->empty() ? "nothing found" : "warnings only");
    return 0;
  }
  using Kind = metal::Error::Kind;
  if (result.error().kind != Kind::lint && result.error().kind != Kind::compile)
    throw std::invalid_argument(result.error().text);
  fmt::print("{}\n", result.error().text);
  return 1;
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
  command->add_option("--order", options->order, "Of threads between barriers: forward, reverse, random")
      ->transform(CLI::CheckedTransformer(orders));
  command->callback([&action, options] { action = [options] { return check(*options); }; });
}

void add_lint_command(CLI::App& metal, Action& action) {
  auto* command = metal.add_subcommand("lint", "Refuse what Apple's compiler would refuse");
  const auto options = std::make_shared<ShaderOptions>();
  options->add_source(*command, "The shader, a .metal file");
  command->callback([&action, options] { action = [options] { return lint(*options); }; });
}

/// For programs: not in --help.
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
  add_lint_command(*metal, action);
  add_serve_command(*metal, action);
}

}  // namespace assay::validation
