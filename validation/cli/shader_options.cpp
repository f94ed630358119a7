#include "validation/cli/shader_options.h"

#include <fmt/color.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "validation/cli/seed_option.h"
#include "validation/core/parse.h"
#include "validation/core/terminal.h"
#include "validation/shader/instantiate.h"
#include "validation/shader/report_groups.h"
#include "validation/transport/declaration/shader_keys.h"

namespace assay::validation {
namespace {

std::uint64_t whole(const char* option, const std::string& text) {
  const auto value = parse_number<std::uint64_t>(text);
  if (!value) throw std::invalid_argument(fmt::format("{} ...={}: expected a number of bytes", option, text));
  return *value;
}

/// What the texts INDEX=... of an option say of each index.
std::map<std::uint32_t, std::string> by_index(const char* option, const std::vector<std::string>& texts,
                                              std::uint32_t highest) {
  std::map<std::uint32_t, std::string> words;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    const auto index = parse_number<std::uint32_t>(text.substr(0, equals));
    if (equals == std::string::npos || !index || *index > highest)
      throw std::invalid_argument(
          fmt::format("{} {}: expected INDEX=..., with an index from 0 to {}", option, text, highest));
    if (!words.emplace(*index, text.substr(equals + 1)).second)
      throw std::invalid_argument(fmt::format("{} {}: expected each index once", option, text));
  }
  return words;
}

metal::Size size_of(const std::vector<std::uint64_t>& extents) {
  metal::Size size;
  if (!extents.empty()) size.width = extents[0];
  if (extents.size() > 1) size.height = extents[1];
  if (extents.size() > 2) size.depth = extents[2];
  return size;
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
  if (!outcome.allowed.empty()) parts.push_back(fmt::format("{} allowed", outcome.allowed.size()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string in_words(const ShaderScript& script, const ShaderOutcome& outcome, std::size_t n) {
  const auto& [function, grid, seconds, has_begun] = outcome.dispatches[n];
  const std::string file = script.source.filename().string();
  if (!has_begun) return fmt::format("{} {}: not run, since a pass before it failed", file, function);
  return fmt::format("{} {}: {} threads in groups of {}{}", file, function, shown(grid), shown(script.passes[n].group),
                     seconds ? fmt::format(", {:.1f} us", *seconds * 1e6) : "");
}

std::string schedules_in_words(const ScheduleSummary& summary) {
  if (summary.atomic_accesses == 0) return "no atomic access whose order a schedule could change";
  return fmt::format("{} schedule{} of up to {} atomic accesses: {} give{} other bits", summary.schedules,
                     summary.schedules == 1 ? "" : "s", summary.atomic_accesses,
                     summary.different == 0 ? "none" : std::to_string(summary.different),
                     summary.different > 1 ? "" : "s");
}

std::string refuse_no_extent(const std::string& text) {
  if (parse_number<std::uint32_t>(text).value_or(0) > 0) return "";
  constexpr std::size_t shown = 40;
  return fmt::format("{}{}: expected one to three whole numbers from 1 to 2^32 - 1, with commas between them: 64,64,1",
                     text.substr(0, shown), text.size() > shown ? "..." : "");
}

CLI::Option* add_extents(CLI::App& command, const std::string& name, std::vector<std::uint64_t>& extents,
                         const std::string& help) {
  return command.add_option(name, extents, help)->delimiter(',')->expected(1, 3)->check(refuse_no_extent);
}

}  // namespace

void ShaderOptions::add_source(CLI::App& command, const std::string& help) {
  command.add_option("file", file_, help)->required();
  command.add_option("-D,--define", macros_, "A macro, NAME or NAME=VALUE")->allow_extra_args(false);
  command.add_option("-I,--include", folders_, "A folder for #include, beside the file's own and those that hold it")
      ->allow_extra_args(false);
  command.add_option("--link", linked_, "Another .metal file of the library, which defines what this one declares")
      ->check(CLI::ExistingFile)
      ->allow_extra_args(false);
  command.add_option("--suppress", suppressions_, "A file of what is allowed, a line each: CHECK FILE:LINE - REASON");
  command.add_option("--metal-version", metal_version_, "__METAL_VERSION__")
      ->check(CLI::Range(100, 999))
      ->capture_default_str();
}

void ShaderOptions::add_dispatch(CLI::App& command) {
  command.add_option("--kernel", function_, "The kernel to run; may be left out if there is one only");
  command.add_option("--buffer", buffers_,
                     "INDEX=PATH.npy, random:SHAPE, zero:SHAPE, unset:SHAPE (of elements: 64 or 8x8), file:PATH, or "
                     "numbers: 3=150 or 4=0.5,1,2");
  command.add_option(
      "--array", arrays_,
      "NAME=PATH.npy, random:SHAPE:DTYPE, zero:SHAPE:DTYPE or unset:SHAPE:DTYPE, an array for an argument "
      "buffer: --buffer 0=buffers:NAME,...");
  command.add_option("--texture", textures_,
                     "INDEX=PATH.npy, random:SHAPE, zero:SHAPE or unset:SHAPE, a texture of the shape 480x640 or, with "
                     "channels, 480x640x4; on the emulator only");
  command.add_option("--sampler", samplers_,
                     "INDEX=linear or nearest, normalized or pixel, clamp_to_edge, clamp_to_zero, repeat or "
                     "mirrored_repeat: 0=linear,repeat");
  command.add_option("--threadgroup-memory", threadgroup_, "INDEX=BYTES of a threadgroup argument");
  command.add_option("--extent", extents_, "NAME=NUMBER, in place of what the \"extents\" of a script say");
  command.add_option("--constant", constants_, "INDEX=VALUE of a function constant");
  add_extents(command, "--grid", grid_, "Threads to run: x[,y[,z]]");
  add_extents(command, "--group", group_, "Threads of a threadgroup: x[,y[,z]]; at most 256,1,1 if left out");
  add_seed(command, seed_, "Seed of random contents, and of a random order of threads");
  command
      .add_option("--step-limit", step_limit_,
                  "Steps of a threadgroup (accesses, barriers, blocks of instructions) after which it counts as "
                  "endless; 4e9 on the emulator if left out")
      ->check(refuse_no_whole_number)
      ->check(CLI::PositiveNumber);
  command.add_option("--json", json_, "Also write the outcome to this file");
}

bool ShaderOptions::is_script() const {
  return file_.ends_with(".json");
}

bool ShaderOptions::has_dispatch() const {
  if (is_script()) return true;
  if (grid_.empty() && buffers_.empty() && textures_.empty()) return false;
  if (grid_.empty()) throw std::invalid_argument("--grid: expected the number of threads to run, x[,y[,z]]");
  return true;
}

ShaderScript ShaderOptions::script() const {
  ShaderScript script = is_script() ? scripted() : of_one_dispatch();
  for (const auto& text : macros_) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals),
                      value = equals == std::string::npos ? "1" : text.substr(equals + 1);
    if (!transport::is_macro(name, value))
      throw std::invalid_argument(fmt::format("--define {}: expected {}", text, transport::what_a_macro_is));
    script.language.macros[name] = value;
  }
  script.language.folders.insert(script.language.folders.end(), folders_.begin(), folders_.end());
  for (const auto& file : linked_) script.language.linked.push_back(std::filesystem::absolute(file));
  script.suppressions = suppressions_;
  if (step_limit_) script.step_limit = step_limit_;
  return script;
}

ShaderScript ShaderOptions::scripted() const {
  const bool is_alone = grid_.empty() && group_.empty() && function_.empty() && buffers_.empty() && arrays_.empty() &&
                        textures_.empty() && samplers_.empty() && threadgroup_.empty() && constants_.empty();
  if (!is_alone)
    throw std::invalid_argument(fmt::format(
        "{}: expected no --kernel, --grid, --group, --buffer, --array, --texture, --sampler, --threadgroup-memory or "
        "--constant beside a "
        "script, which says what is to run",
        file_));
  MetalVariables extents;
  for (const auto& text : extents_) {
    const auto equals = text.find('=');
    const auto value = equals == std::string::npos ? std::nullopt : parse_number<double>(text.substr(equals + 1));
    if (!value || !extents.emplace(text.substr(0, equals), *value).second)
      throw std::invalid_argument(fmt::format("--extent {}: expected NAME=NUMBER, and each name once", text));
  }
  return read_script(file_, extents);
}

ShaderScript ShaderOptions::of_one_dispatch() const {
  if (!extents_.empty())
    throw std::invalid_argument(fmt::format("--extent {}: expected a script, which has extents", extents_.front()));
  ShaderScript script;
  script.source = file_;
  script.language.metal_version = metal_version_;
  script.is_command_line = true;
  script.seed = seed_;
  ShaderPass& pass = script.passes.emplace_back();
  pass.function = function_;
  for (const auto& [index, words] : by_index("--buffer", buffers_, transport::max_buffer_index)) {
    const std::string name = std::to_string(index);
    script.arrays[name] = words;
    pass.buffers[index] = {name};
  }
  for (const auto& [index, words] : by_index("--texture", textures_, transport::max_texture_index)) {
    const std::string name = texture_prefix + std::to_string(index);
    script.arrays[name] = words;
    pass.textures[index] = name;
  }
  for (const auto& one : by_index("--sampler", samplers_, transport::max_sampler_index)) pass.samplers.insert(one);
  for (const auto& text : arrays_) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos || name.empty() || script.arrays.contains(name))
      throw std::invalid_argument(fmt::format("--array {}: expected NAME=..., with a name that no other has", text));
    script.arrays[name] = text.substr(equals + 1);
  }
  for (const auto& [index, words] : by_index("--constant", constants_, transport::max_constant_index))
    pass.constants[index] = {words};
  for (const auto& [index, bytes] : by_index("--threadgroup-memory", threadgroup_, transport::max_buffer_index))
    pass.threadgroup[index] = whole("--threadgroup-memory", bytes);
  pass.grid = size_of(grid_);
  pass.group = group_.empty() ? metal::Size{std::min<std::uint64_t>(pass.grid.width, 256), 1, 1} : size_of(group_);
  return script;
}

void print_outcome(const ShaderScript& script, const ShaderOutcome& outcome) {
  for (const auto& message : outcome.messages) tell("{}\n", to_string(message));
  if (outcome.messages_dropped > 0) tell("{} more messages\n", outcome.messages_dropped);
  if (!outcome.messages.empty()) tell("\n");
  for (const auto* reports : {&outcome.reports, &outcome.warnings})
    for (const auto& text : in_groups(*reports)) tell("{}\n\n", text);
  for (const auto& [report, reason, is_in_source] : outcome.allowed)
    tell("allowed: {} at {}: {}\n\n", to_string(report.check), to_string(report.event.position), reason);
  if (outcome.error) tell("{}\n\n", outcome.error->text);
  for (std::size_t n = 0, next = 0; n < outcome.dispatches.size(); n = next) {
    const std::string line = in_words(script, outcome, n);
    for (++next; next < outcome.dispatches.size(); ++next)
      if (in_words(script, outcome, next) != line) break;
    tell("{}{}\n", line, next - n > 1 ? fmt::format(", {} times", next - n) : "");
  }
  if (outcome.schedules) tell("{}\n", schedules_in_words(*outcome.schedules));
  if (outcome.dispatches.empty()) return;
  if (outcome.is_checked || outcome.error)
    tell("{}{}: {}\n", outcome.is_checked ? "checked on " : "", outcome.device, summary(outcome, wants_colour(stdout)));
  else
    tell("ran on {}, which checks no access\n", outcome.device);
}

}  // namespace assay::validation
