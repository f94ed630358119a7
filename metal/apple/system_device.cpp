#include "metal/apple/system_device.h"

#include <fmt/format.h>

#include <utility>

#include "metal/apple/apple_device.h"

namespace assay::metal::apple {

namespace {

/// Programs without a window, over ssh or in CI, may have devices but no default device.
NS::SharedPtr<MTL::Device> default_or_first() {
  auto device = NS::TransferPtr(MTL::CreateSystemDefaultDevice());
  if (device) return device;
  const auto devices = NS::TransferPtr(MTL::CopyAllDevices());
  return devices && devices->count() > 0 ? NS::RetainPtr(devices->object<MTL::Device>(0)) : device;
}

/// Whether dispatchThreads takes a grid that groups do not divide: Metal Feature Set Tables.
bool has_nonuniform_threadgroups(MTL::Device& device) {
  return device.supportsFamily(MTL::GPUFamilyApple4) || device.supportsFamily(MTL::GPUFamilyMac2);
}

}  // namespace

Result<std::shared_ptr<Device>> system_default_device(const ShaderLanguage& language) {
  const auto pool = autorelease_pool();
  NS::SharedPtr<MTL::Device> device = default_or_first();
  if (!device)
    return error(Error::Kind::environment,
                 "MTLCreateSystemDefaultDevice: this machine has no Metal device; the emulator runs on any CPU");
  if (!has_nonuniform_threadgroups(*device.get()))
    return error(
        Error::Kind::environment,
        fmt::format("{}: expected a GPU of family Apple4 or Mac2 or later, which have non-uniform threadgroups",
                    text(device->name())));
  return std::make_shared<AppleDevice>(std::move(device), language);
}

}  // namespace assay::metal::apple
