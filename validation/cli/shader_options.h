// The options of `assay metal` with which a user describes what is to run.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "validation/shader/run.h"
#include "validation/shader/script.h"

namespace assay::validation {

class ShaderOptions {
 public:
  /// FILE, -D, -I, --suppress and --metal-version.
  void add_source(CLI::App& command, const std::string& help);
  /// --kernel, --grid, --group, --buffer, --array, --texture, --sampler, --threadgroup-memory, --constant, --seed,
  /// --step-limit and --json.
  void add_dispatch(CLI::App& command);

  /// Whether a kernel is to run, and not only to be listed. Throws std::invalid_argument if some of it is missing.
  bool has_dispatch() const;
  /// Whether --kernel names one.
  bool has_kernel() const { return !function_.empty(); }
  /// Throws std::invalid_argument for what cannot be understood, naming the option.
  ShaderScript script() const;
  const std::string& json() const { return json_; }

 private:
  bool is_script() const;
  ShaderScript scripted() const;
  ShaderScript of_one_dispatch() const;

  std::string file_, function_, json_, suppressions_;
  std::vector<std::filesystem::path> folders_, linked_;
  std::vector<std::string> macros_, buffers_, arrays_, textures_, samplers_, threadgroup_, constants_, extents_;
  std::vector<std::uint64_t> grid_, group_;
  int metal_version_ = 320;
  std::uint64_t seed_ = 1;
  std::optional<std::uint64_t> step_limit_;
};

/// Prints what the checks found, or why a kernel did not run, and a line for each dispatch.
void print_outcome(const ShaderScript& script, const ShaderOutcome& outcome);

}  // namespace assay::validation
