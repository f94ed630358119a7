// The emulator as the gate drives it: every check on, and what a check reports is an error of the kernel, whatever the
// numbers.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "metal/device/library.h"
#include "metal/emulator/emulator_device.h"

namespace assay::validation {

/// Changes the text of a shader, its includes in it, before it is compiled: for planted faults. Empty: none.
using ShaderEdit = std::function<std::string(std::string)>;

/// A device that compiles without half and bfloat where a fault is planted: less to compile for each.
std::shared_ptr<metal::emulator::EmulatorDevice> emulated_device(const ShaderEdit& edit);

/// `file` of metal/kernels, with the edit made to it where there is one. Throws std::runtime_error where it does not
/// compile.
std::shared_ptr<metal::Library> kernel_library(metal::emulator::EmulatorDevice& device, const char* file,
                                               const ShaderEdit& edit);

/// The text with `before`, which must be in it exactly once, replaced. Throws std::logic_error where it is not.
std::string replaced_once(std::string text, const std::string& before, const std::string& after);

/// Throws std::runtime_error with the first report, if there is any, and forgets them all.
void throw_reports(metal::emulator::EmulatorDevice& device);

}  // namespace assay::validation
