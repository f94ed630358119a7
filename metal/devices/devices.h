// The devices that kernels can run on, by name.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "metal/device/device.h"
#include "metal/device/shader_language.h"

namespace assay::metal {

/// The best first.
inline constexpr std::array<const char*, 3> device_names = {"apple", "nvidia", "emulated"};

/// Whether the name is that of an emulator: "emulated", or "emulated-safe", "emulated-relaxed" or "emulated-fast" for
/// one that computes with the worst roundings that this mode of Metal's compiler permits
/// (emulator/compile/math_mode.h). With
/// "-numerics" or "-algebra" behind it, the emulator follows every operation.
bool is_emulated(const std::string& name);

/// The device of this name: the Apple GPU of a Mac, the first NVIDIA GPU, or an emulator with every check on. It
/// compiles shaders of this language; Apple's devices take its macros and folders, and their own version. Errors:
/// environment, if it is not to be had, with the reason and what to do; argument, for another name.
Result<std::shared_ptr<Device>> open_device(const std::string& name, const ShaderLanguage& language = {});

/// The name of the best device that can be opened.
std::string best_device();

}  // namespace assay::metal
