#include "metal/devices/devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string_view>
#include <utility>

#include "metal/emulator/emulator_device.h"
#include "metal/nvidia/nvidia_device.h"
#if ASSAY_WITH_APPLE
#include "metal/apple/system_device.h"
#endif

namespace assay::metal {

namespace {

Result<std::shared_ptr<Device>> apple_device([[maybe_unused]] const ShaderLanguage& language) {
#if ASSAY_WITH_APPLE
  return apple::system_default_device(language);
#else
  return error(Error::Kind::environment,
               "this program was built without it: build on a Mac where metal-cpp is found (docs/gpus.md)");
#endif
}

Result<std::shared_ptr<Device>> nvidia_device(const ShaderLanguage& language) {
  auto device = nvidia::system_device({.language = language});
  if (!device) return tl::unexpected(device.error());
  return *device;
}

std::optional<emulator::EmulatorOptions> emulator_called(std::string_view name) {
  constexpr std::string_view stem = "emulated", numerics = "-numerics", algebra = "-algebra";
  emulator::EmulatorOptions options;
  if (!name.starts_with(stem)) return std::nullopt;
  name.remove_prefix(stem.size());
  options.with_numerics = name.ends_with(numerics);
  if (options.with_numerics) name.remove_suffix(numerics.size());
  options.with_algebra = name.ends_with(algebra);
  if (options.with_algebra) name.remove_suffix(algebra.size());
  if (name.empty()) return options;
  const auto mode = name.starts_with('-') ? emulator::math_mode_called(name.substr(1)) : std::nullopt;
  if (!mode) return std::nullopt;
  options.math_mode = *mode;
  return options;
}

}  // namespace

bool is_emulated(const std::string& name) {
  return emulator_called(name).has_value();
}

Result<std::shared_ptr<Device>> open_device(const std::string& name, const ShaderLanguage& language) {
  if (name == "apple") return apple_device(language);
  if (name == "nvidia") return nvidia_device(language);
  if (auto options = emulator_called(name)) {
    options->language = language;
    return std::make_shared<emulator::EmulatorDevice>(std::move(*options));
  }
  return error(Error::Kind::argument,
               fmt::format("device '{}' is unknown: expected one of {}", name, fmt::join(device_names, ", ")));
}

std::string best_device() {
  for (const char* name : device_names)
    if (open_device(name)) return name;
  return device_names.back();
}

}  // namespace assay::metal
