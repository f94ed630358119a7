#include "validation/cli/metal_command.h"

#include <fmt/color.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <stdexcept>

#include "metal/emulator/compile/lint.h"
#include "validation/core/parse.h"
#include "validation/core/terminal.h"
#include "validation/report/report_file.h"
#include "validation/shader/json.h"
#include "validation/shader/shader_check.h"

namespace assay::validation {
namespace {

using metal::emulator::ThreadOrder;

struct Arguments {
  ShaderCheck check;
  std::vector<std::string> buffers, threadgroup, constants, macros;
  std::vector<std::uint64_t> grid, group;
  std::string json;
};

/// Splits INDEX=WORDS.
std::pair<std::uint32_t, std::string> indexed(const char* option, const std::string& text) {
  const auto equals = text.find('=');
  const auto index = parse_number<std::uint32_t>(text.substr(0, equals));
  if (equals == std::string::npos || !index || *index > 65535)
    throw std::invalid_argument(fmt::format("{} {}: expected INDEX=...", option, text));
  return {*index, text.substr(equals + 1)};
}

std::uint64_t whole(const char* option, const std::string& text) {
  const auto value = parse_number<std::uint64_t>(text);
  if (!value) throw std::invalid_argument(fmt::format("{} ...={}: expected a number of bytes", option, text));
  return *value;
}

metal::Size size_of(const std::vector<std::uint64_t>& extents) {
  metal::Size size;
  if (!extents.empty()) size.width = extents[0];
  if (extents.size() > 1) size.height = extents[1];
  if (extents.size() > 2) size.depth = extents[2];
  return size;
}

void interpret(Arguments& arguments) {
  ShaderCheck& check = arguments.check;
  for (const auto& text : arguments.buffers) check.buffers.insert(indexed("--buffer", text));
  for (const auto& text : arguments.constants) check.constants.insert(indexed("--constant", text));
  for (const auto& text : arguments.threadgroup) {
    const auto [index, bytes] = indexed("--threadgroup-memory", text);
    check.threadgroup[index] = whole("--threadgroup-memory", bytes);
  }
  for (const auto& text : arguments.macros) {
    const auto equals = text.find('=');
    check.emulator.macros[text.substr(0, equals)] = equals == std::string::npos ? "1" : text.substr(equals + 1);
  }
  check.grid = size_of(arguments.grid);
  check.group = arguments.group.empty() ? metal::Size{std::min<std::uint64_t>(check.grid.width, 256), 1, 1}
                                        : size_of(arguments.group);
}

std::string shown(const metal::Size& size) {
  return fmt::format("{} x {} x {}", size.width, size.height, size.depth);
}

/// "3 found, 1 warning"
std::string summary(const ShaderOutcome& outcome, bool colour) {
  const std::size_t errors = outcome.reports.size() + (outcome.error ? 1U : 0U), warnings = outcome.warnings.size();
  std::vector<std::string> parts;
  if (errors > 0) parts.push_back(paint(fmt::format("{} found", errors), fg(fmt::terminal_color::red), colour));
  if (warnings > 0) parts.push_back(fmt::format("{} warning{}", warnings, warnings > 1 ? "s" : ""));
  if (parts.empty()) parts.push_back(paint("nothing found", fg(fmt::terminal_color::green), colour));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print_outcome(const ShaderCheck& check, const ShaderOutcome& outcome) {
  const bool colour = wants_colour(stdout);
  for (const auto* reports : {&outcome.reports, &outcome.warnings})
    for (const auto& report : *reports) fmt::print("{}\n\n", to_string(report));
  if (outcome.error) fmt::print("{}\n\n", outcome.error->text);
  if (outcome.error && outcome.error->kind == metal::Error::Kind::compile) return;
  fmt::print("{} {}: {} threads in groups of {}: {}\n", check.file.filename().string(), outcome.function,
             shown(check.grid), shown(check.group), summary(outcome, colour));
}

int check(Arguments& arguments) {
  interpret(arguments);
  if (arguments.grid.empty() && arguments.buffers.empty()) {
    fmt::print("{}", list_shader(arguments.check.file, arguments.check.emulator));
    return 0;
  }
  if (arguments.grid.empty()) throw std::invalid_argument("--grid: expected the number of threads to run, x[,y[,z]]");
  const ShaderOutcome outcome = check_shader(arguments.check);
  print_outcome(arguments.check, outcome);
  if (!arguments.json.empty()) write_atomically(arguments.json, to_json(arguments.check, outcome));
  return outcome.passed() ? 0 : 1;
}

int lint(Arguments& arguments) {
  interpret(arguments);
  const auto result = metal::emulator::lint_file(arguments.check.file, compile_options(arguments.check.emulator));
  if (result) {
    fmt::print("{}{}: {}\n", *result, arguments.check.file.filename().string(),
               result->empty() ? "nothing found" : "warnings only");
    return 0;
  }
  using Kind = metal::Error::Kind;
  if (result.error().kind != Kind::lint && result.error().kind != Kind::compile)
    throw std::invalid_argument(result.error().text);
  fmt::print("{}\n", result.error().text);
  return 1;
}

/// A subcommand with the options that check and lint share.
CLI::App* add_shader_command(CLI::App& metal, const std::string& name, const std::string& help, Arguments& arguments) {
  auto* command = metal.add_subcommand(name, help);
  command->add_option("file", arguments.check.file, "The shader, a .metal file")->required();
  command->add_option("-D,--define", arguments.macros, "A macro, NAME or NAME=VALUE");
  command->add_option("--metal-version", arguments.check.emulator.metal_version, "__METAL_VERSION__")
      ->check(CLI::Range(100, 999))
      ->capture_default_str();
  return command;
}

void add_check_options(CLI::App& command, Arguments& arguments) {
  command.add_option("--function", arguments.check.function, "The kernel to run; may be left out if there is one only");
  command.add_option("--buffer", arguments.buffers,
                     "INDEX=random:N, zero:N, unset:N (elements), file:PATH, or numbers: 3=150 or 4=0.5,1,2");
  command.add_option("--threadgroup-memory", arguments.threadgroup, "INDEX=BYTES of a threadgroup argument");
  command.add_option("--constant", arguments.constants, "INDEX=VALUE of a function constant");
  command.add_option("--grid", arguments.grid, "Threads to run: x[,y[,z]]")
      ->delimiter(',')
      ->expected(1, 3)
      ->check(CLI::PositiveNumber);
  command.add_option("--group", arguments.group, "Threads of a threadgroup: x[,y[,z]]; at most 256,1,1 if left out")
      ->delimiter(',')
      ->expected(1, 3)
      ->check(CLI::PositiveNumber);
  const std::map<std::string, ThreadOrder> orders = {
      {"forward", ThreadOrder::forward}, {"reverse", ThreadOrder::reverse}, {"random", ThreadOrder::random}};
  command
      .add_option("--order", arguments.check.emulator.order, "Of threads between barriers: forward, reverse, random")
      ->transform(CLI::CheckedTransformer(orders));
  command.add_option("--seed", arguments.check.seed, "Of random contents and of the random order")
      ->capture_default_str();
  command.add_option("--json", arguments.json, "Also write the outcome to this file");
}

}  // namespace

void add_metal_command(CLI::App& app, Action& action) {
  auto* metal = app.add_subcommand("metal", "Check a .metal shader without an Apple GPU");
  metal->require_subcommand(1);
  const auto arguments = std::make_shared<Arguments>();
  auto* checked = add_shader_command(
      *metal, "check", "Run a kernel with every access checked; without --buffer and --grid, list the kernels",
      *arguments);
  add_check_options(*checked, *arguments);
  checked->callback([&action, arguments] {
    action = [arguments] {
      arguments->check.emulator.seed = arguments->check.seed;
      return check(*arguments);
    };
  });
  auto* linted = add_shader_command(*metal, "lint", "Refuse what Apple's compiler would refuse", *arguments);
  linted->callback([&action, arguments] { action = [arguments] { return lint(*arguments); }; });
}

}  // namespace assay::validation
