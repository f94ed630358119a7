// Devices as the gate uses them. On the emulator every check is on, and a report is an error of the kernel, whatever
// the numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "metal/devices/devices.h"

namespace assay::validation {

/// Plants a fault: changes the text of a shader, with its includes, before compilation. Empty: no fault.
using ShaderEdit = std::function<std::string(std::string)>;

/// The device in the name of a kernel: "nvidia" of "metal-nvidia", "emulated-fast" of "metal-emulated-fast"; empty for
/// other names.
std::string device_in(const std::string& kernel);

/// The largest needle case (core/reach.h) of a kernel on the device: an emulated one takes a thousand times as long as
/// a loop.
std::int64_t reach_on(const std::string& device);

/// metal::open_device, or an emulator with numerics in its place while an Explanation lives. Throws std::runtime_error
/// if it is not to be had.
std::shared_ptr<metal::Device> open_for_kernel(const std::string& name, const metal::ShaderLanguage& language);

/// The device. If a fault is planted, the device's version of Metal lacks bfloat, which saves compilation time. Throws
/// std::runtime_error if it is not to be had.
std::shared_ptr<metal::Device> kernel_device(const std::string& name, const ShaderEdit& edit);

/// Compiles `file` of metal/kernels after the edit. Throws std::runtime_error if the file does not compile.
std::shared_ptr<metal::Library> kernel_library(metal::Device& device, const char* file, const ShaderEdit& edit);

/// `text` with `before` replaced by `after`. Throws std::logic_error unless `text` has `before` exactly once.
std::string replaced_once(std::string text, const std::string& before, const std::string& after);

/// Throws std::runtime_error with the emulator's first report, if there is any, and clears all reports. Those of
/// numbers go to the Explanation that lives.
void throw_reports(metal::Device& device);

}  // namespace assay::validation
