// Devices as the gate uses them. On the emulator every check is on, and a report is an error of the kernel, whatever
// the numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

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

/// metal::open_device, or in its place an emulator with numerics or algebra while an Explanation or a FollowedRun lives.
/// Throws KernelUnavailable if this machine lacks the device.
std::shared_ptr<metal::Device> open_for_kernel(const std::string& name, const metal::ShaderLanguage& language);

/// `text` with `before` replaced by `after`. Throws std::logic_error unless `text` has `before` exactly once.
std::string replaced_once(std::string text, const std::string& before, const std::string& after);

/// Throws std::runtime_error with the emulator's first report, if there is any, and clears all reports. Those of
/// numbers go to the Explanation that lives.
void throw_reports(metal::Device& device);

/// One of the project's kernels in Metal: host code with its options, and where it runs.
template <class HostOptions>
struct OnDevice {
  std::string name;
  HostOptions host = {};
  ShaderEdit edit = {};
  std::string device = "emulated";
};

/// A device, and a file of metal/kernels that is compiled for the device on the first use. If a fault is planted, the
/// device's version of Metal lacks bfloat, which saves compilation time.
class DeviceLibrary {
 public:
  DeviceLibrary(std::string device, const char* file, ShaderEdit edit)
      : name_(std::move(device)), file_(file), edit_(std::move(edit)) {}

  /// Calls use(device, library), one caller at a time, because all share the device's reports. Throws
  /// KernelUnavailable if this machine lacks the device or the compiler, std::runtime_error if the file does not
  /// compile or a check reports something.
  template <class Use>
  void run(const Use& use) const {
    const std::lock_guard lock(mutex_);
    if (!library_) compile();
    use(device_, library_);
    throw_reports(*device_);
  }

 private:
  void compile() const;

  std::string name_;
  const char* file_;
  ShaderEdit edit_;
  mutable std::mutex mutex_;  ///< guards the members below
  mutable std::shared_ptr<metal::Device> device_;
  mutable std::shared_ptr<metal::Library> library_;
};

}  // namespace assay::validation
