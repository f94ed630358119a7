#include "metal/apple/system_device.h"

#include <fmt/format.h>

#include <utility>

#include "metal/apple/apple_device.h"
#include "metal/apple/family.h"

namespace assay::metal::apple {

namespace {

/// Programs without a window, over ssh or in CI, may have devices but no default device.
NS::SharedPtr<MTL::Device> default_or_first() {
  auto device = NS::TransferPtr(MTL::CreateSystemDefaultDevice());
  if (device) return device;
  const auto devices = NS::TransferPtr(MTL::CopyAllDevices());
  return devices && devices->count() > 0 ? NS::RetainPtr(devices->object<MTL::Device>(0)) : device;
}

}  // namespace

Result<void> check_family(MTL::Device& device) {
  if (device.supportsFamily(MTL::GPUFamilyApple4) || device.supportsFamily(MTL::GPUFamilyMac2)) return {};
  return error(Error::Kind::environment,
               fmt::format("{}: expected a GPU of family Apple4 or Mac2 or later, which have non-uniform threadgroups",
                           text(device.name())));
}

Result<std::shared_ptr<Device>> system_default_device(const ShaderLanguage& language) {
  const auto pool = autorelease_pool();
  NS::SharedPtr<MTL::Device> device = default_or_first();
  if (!device)
    return error(Error::Kind::environment,
                 "MTLCreateSystemDefaultDevice: this machine has no Metal device; the emulator runs on any CPU");
  if (const Result<void> fit = check_family(*device.get()); !fit) return tl::unexpected(fit.error());
  return std::make_shared<AppleDevice>(std::move(device), language);
}

}  // namespace assay::metal::apple
