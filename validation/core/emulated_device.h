// The emulator as the gate uses it: every check is on, and a report is an error of the kernel, whatever the numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "metal/device/library.h"
#include "metal/emulator/emulator_device.h"

namespace assay::validation {

/// Plants a fault: changes the text of a shader, with its includes, before compilation. Empty: no fault.
using ShaderEdit = std::function<std::string(std::string)>;

/// The largest needle case (core/reach.h) of an emulated kernel, which takes a thousand times as long as a loop.
inline constexpr std::int64_t emulated_reach = 1 << 10;

/// A device. If a fault is planted, the device's version of Metal lacks bfloat, which saves compilation time.
std::shared_ptr<metal::emulator::EmulatorDevice> emulated_device(const ShaderEdit& edit);

/// Compiles `file` of metal/kernels after the edit. Throws std::runtime_error if the file does not compile.
std::shared_ptr<metal::Library> kernel_library(metal::emulator::EmulatorDevice& device, const char* file,
                                               const ShaderEdit& edit);

/// `text` with `before` replaced by `after`. Throws std::logic_error unless `text` has `before` exactly once.
std::string replaced_once(std::string text, const std::string& before, const std::string& after);

/// Throws std::runtime_error with the first report, if there is any, and clears all reports.
void throw_reports(metal::emulator::EmulatorDevice& device);

}  // namespace assay::validation
