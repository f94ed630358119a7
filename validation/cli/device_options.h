// The option of the command line for the device that a kernel runs on.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace assay::validation {

/// The kernel and the device of a command line.
struct KernelChoice {
  std::string kernel, device;

  /// The kernel's name in the registry: `metal` on nvidia is metal-nvidia, mine.json on nvidia is mine.json@nvidia. A
  /// device alone means `metal`; `metal` alone means the best device of this machine. Throws std::invalid_argument
  /// for a device with a kernel that runs on no device.
  std::string name() const;

  /// The kernel's names in arithmetics of Metal's compiler, "safe", "relaxed", "fast" or "all": metal-emulated-fast,
  /// mine.json@emulated-fast. Throws std::invalid_argument for a kernel that does not run on the emulator.
  std::vector<std::string> names_in(const std::string& arithmetic) const;
};

/// --kernel and --device.
void add_kernel_options(CLI::App& command, KernelChoice& choice);

}  // namespace assay::validation
