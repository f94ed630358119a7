// assay metal run: a kernel of a .metal file on any device, from .npy to .npy.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "metal/devices/devices.h"
#include "validation/cli/commands.h"
#include "validation/cli/shader_options.h"
#include "validation/core/terminal.h"
#include "validation/report/report_file.h"
#include "validation/shader/compare.h"
#include "validation/shader/json.h"

namespace assay::validation {
namespace {

struct MetalRunOptions : ShaderOptions {
  std::string device, against;
  std::vector<std::string> outputs, expected;
  std::uint64_t ulps = 0;
};

std::shared_ptr<metal::Device> opened(const std::string& option, const std::string& name, const ShaderScript& script) {
  const auto device = metal::open_device(name, script.language);
  if (!device) throw std::invalid_argument(fmt::format("{} {}: {}", option, name, device.error().text));
  return *device;
}

/// Splits ARRAY=PATH.npy.
std::pair<std::string, std::string> named(const char* option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || !text.ends_with(".npy"))
    throw std::invalid_argument(fmt::format("{} {}: expected ARRAY=PATH.npy", option, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// Whether --expect compares with this file, which a result must not replace then.
bool is_expected(const MetalRunOptions& options, const std::filesystem::path& file) {
  const auto whole = [](const std::filesystem::path& path) { return std::filesystem::weakly_canonical(path); };
  return std::ranges::any_of(
      options.expected, [&](const std::string& text) { return whole(named("--expect", text).second) == whole(file); });
}

void write_outputs(const MetalRunOptions& options, const ShaderScript& script, const ShaderOutcome& outcome) {
  for (const auto& [name, file] : script.outputs) {
    if (is_expected(options, file)) {
      tell("{}: kept, since --expect compares with it\n", file.string());
      continue;
    }
    write_npy(outcome.arrays.at(name), file);
    tell("{}: {}\n", file.string(), outcome.arrays.at(name).summary());
  }
}

/// Compares the outcome with the files of --expect, and prints each comparison.
std::vector<ArrayComparison> compare_with_files(const MetalRunOptions& options, const ShaderOutcome& outcome) {
  std::vector<ArrayComparison> comparisons;
  for (const auto& text : options.expected) {
    const auto [name, path] = named("--expect", text);
    const auto array = outcome.arrays.find(name);
    if (array == outcome.arrays.end())
      throw std::invalid_argument(fmt::format("--expect {}: expected an array that a kernel may write", text));
    const ShaderArray expected = read_npy(array->second, path);
    comparisons.push_back(compare_arrays(array->first, array->second, expected, options.ulps));
    tell("{}", to_string(comparisons.back(), outcome.device, path));
  }
  return comparisons;
}

/// Runs the script on the device of --against, and adds a comparison of each array. Returns false if that run failed or
/// its checks found something.
bool compare_with_device(const MetalRunOptions& options, const ShaderScript& script, const ShaderOutcome& outcome,
                         std::vector<ArrayComparison>& comparisons) {
  const ShaderOutcome other = run_shader(*opened("--against", options.against, script), script);
  print_outcome(script, other);
  if (other.error) return false;
  for (const auto& [name, array] : outcome.arrays) {
    comparisons.push_back(compare_arrays(name, array, other.arrays.at(name), options.ulps));
    tell("{}", to_string(comparisons.back(), outcome.device, other.device));
  }
  return other.passed();
}

ShaderScript script_of(const MetalRunOptions& options) {
  if (!options.has_dispatch()) throw std::invalid_argument("--grid: expected the number of threads to run, x[,y[,z]]");
  ShaderScript script = options.script();
  for (const auto& text : options.outputs) {
    const auto [name, path] = named("--output", text);
    script.outputs[name] = path;
  }
  return script;
}

int run(const MetalRunOptions& options) {
  const ShaderScript script = script_of(options);
  const std::string name = options.device.empty() ? metal::best_device() : options.device;
  const ShaderOutcome outcome = run_shader(*opened("--device", name, script), script);
  print_outcome(script, outcome);
  bool passed = outcome.passed();
  std::vector<ArrayComparison> comparisons;
  if (!outcome.error) {
    write_outputs(options, script, outcome);
    comparisons = compare_with_files(options, outcome);
    if (!options.against.empty()) passed &= compare_with_device(options, script, outcome, comparisons);
  }
  if (!options.json().empty()) write_atomically(options.json(), to_json(script, outcome, comparisons));
  return passed && std::ranges::all_of(comparisons, &ArrayComparison::passed) ? 0 : 1;
}

void add_device_option(CLI::App& command, const std::string& name, std::string& device, const std::string& help) {
  command.add_option(name, device, help)
      ->check(CLI::IsMember(std::vector<std::string>(metal::device_names.begin(), metal::device_names.end())));
}

}  // namespace

void add_metal_run_command(CLI::App& metal, Action& action) {
  auto* command = metal.add_subcommand("run", "Run a kernel on any device, from .npy files to .npy files");
  const auto options = std::make_shared<MetalRunOptions>();
  options->add_source(*command, "The shader, a .metal file, or a script of dispatches, a .json file");
  options->add_dispatch(*command);
  command->add_option("--output", options->outputs,
                      "ARRAY=PATH.npy: write what an array holds afterwards; an array is the index of its --buffer, "
                      "texture0 for --texture 0, or "
                      "its name in a script");
  add_device_option(*command, "--device", options->device, "apple, nvidia or emulated; the best there is if left out");
  add_device_option(*command, "--against", options->against,
                    "Also run on this device, and compare every array that a kernel may write");
  command->add_option("--expect", options->expected, "ARRAY=PATH.npy: compare what an array holds afterwards");
  command->add_option("--ulps", options->ulps, "Units in the last place by which compared elements may differ")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->footer(
      "Exit status: 0 nothing found, and all compared elements are within --ulps; 1 a check found something, the "
      "shader "
      "does not compile or did not run to its end, or elements differ; 2 bad usage, or a device that is not to be "
      "had.");
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace assay::validation
