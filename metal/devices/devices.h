// The devices that kernels can run on, by name.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "metal/device/device.h"

namespace assay::metal {

/// The best first.
inline constexpr std::array<const char*, 3> device_names = {"apple", "nvidia", "emulated"};

struct DeviceOptions {
  int metal_version = 320;  ///< __METAL_VERSION__
  std::map<std::string, std::string> macros = {};
  std::vector<std::filesystem::path> folders = {};  ///< for #include; Apple's devices search none
};

/// The device of this name: the Apple GPU of a Mac, the first NVIDIA GPU, or the emulator with every check on.
/// Errors: environment, if it is not to be had, with the reason and what to do; argument, for another name.
Result<std::shared_ptr<Device>> open_device(const std::string& name, const DeviceOptions& options = {});

/// The name of the best device that can be opened.
std::string best_device();

}  // namespace assay::metal
