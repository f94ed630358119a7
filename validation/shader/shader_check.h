// Runs one kernel of any .metal file on the emulator, with all checks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "metal/device/limits.h"
#include "metal/device/result.h"
#include "metal/emulator/emulator_device.h"

namespace assay::validation {

struct ShaderCheck {
  std::filesystem::path file;
  std::string function;                                ///< empty: the only one
  std::map<std::uint32_t, std::string> buffers;        ///< contents by index (contents.h)
  std::map<std::uint32_t, std::uint64_t> threadgroup;  ///< bytes by index
  std::map<std::uint32_t, std::string> constants;      ///< values of function constants by index
  metal::Size grid, group;                             ///< in threads
  std::uint64_t seed = 1;                              ///< of random contents
  metal::emulator::EmulatorOptions emulator;
};

struct ShaderOutcome {
  std::string function;
  std::vector<metal::emulator::Report> reports, warnings;
  std::optional<metal::Error> error;  ///< what stopped the kernel, if there is no report
  bool passed() const { return reports.empty() && !error; }
};

/// Throws std::invalid_argument if a function, a binding or a constant is missing or unknown to the shader, or if the
/// file cannot be read. If the shader does not compile, the outcome's error has the kind `compile`.
ShaderOutcome check_shader(const ShaderCheck& check);

/// Compiles the kernel alone, and runs nothing. Returns the error if it does not compile. Throws as check_shader().
std::optional<metal::Error> compile_shader(const ShaderCheck& check);

/// The kernels of the shader with their arguments, and its function constants, as text of at most 100 columns.
/// Throws std::invalid_argument if the file cannot be read or translated. Nothing is compiled.
std::string list_shader(const std::filesystem::path& file, const metal::emulator::EmulatorOptions& options);

}  // namespace assay::validation
