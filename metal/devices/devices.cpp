#include "metal/devices/devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "metal/emulator/emulator_device.h"
#include "metal/nvidia/nvidia_device.h"
#if ASSAY_WITH_APPLE
#include "metal/apple/system_device.h"
#endif

namespace assay::metal {

namespace {

Result<std::shared_ptr<Device>> apple_device() {
#if ASSAY_WITH_APPLE
  return apple::system_default_device();
#else
  return error(Error::Kind::environment,
               "this program was built without it: build on a Mac with -DASSAY_WITH_APPLE=ON");
#endif
}

Result<std::shared_ptr<Device>> nvidia_device(const DeviceOptions& options) {
  nvidia::NvidiaOptions own;
  own.metal_version = options.metal_version;
  own.macros = options.macros;
  own.folders = options.folders;
  auto device = nvidia::system_device(std::move(own));
  if (!device) return tl::unexpected(device.error());
  return *device;
}

std::shared_ptr<Device> emulated_device(const DeviceOptions& options) {
  emulator::EmulatorOptions own;
  own.metal_version = options.metal_version;
  own.macros = options.macros;
  own.folders = options.folders;
  return std::make_shared<emulator::EmulatorDevice>(std::move(own));
}

}  // namespace

Result<std::shared_ptr<Device>> open_device(const std::string& name, const DeviceOptions& options) {
  if (name == "apple") return apple_device();
  if (name == "nvidia") return nvidia_device(options);
  if (name == "emulated") return emulated_device(options);
  return error(Error::Kind::argument,
               fmt::format("device '{}' is unknown: expected one of {}", name, fmt::join(device_names, ", ")));
}

std::string best_device() {
  for (const char* name : device_names)
    if (open_device(name)) return name;
  return device_names.back();
}

}  // namespace assay::metal
