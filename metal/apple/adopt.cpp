#include "metal/apple/adopt.h"

#include <fmt/format.h>

#include "metal/apple/apple_buffer.h"
#include "metal/apple/apple_device.h"
#include "metal/apple/apple_encoder.h"
#include "metal/apple/apple_queue.h"
#include "metal/apple/family.h"

namespace assay::metal::apple {

namespace {

/// The state of the device that is to take the object. Errors: argument.
Result<std::shared_ptr<AppleState>> state_for(Device& device, const void* object, const char* what) {
  auto* const own = dynamic_cast<AppleDevice*>(&device);
  if (!own) return error(Error::Kind::argument, fmt::format("adopting {}: expected a device of Apple's", what));
  if (!object) return error(Error::Kind::argument, fmt::format("adopting {}: it is nil", what));
  return own->state();
}

}  // namespace

Result<std::shared_ptr<Device>> adopt_device(MTL::Device* device, const ShaderLanguage& language) {
  if (!device) return error(Error::Kind::argument, "adopting a device: it is nil");
  const auto pool = autorelease_pool();
  if (const Result<void> fit = check_family(*device); !fit) return tl::unexpected(fit.error());
  return std::make_shared<AppleDevice>(NS::RetainPtr(device), language);
}

Result<std::shared_ptr<Buffer>> adopt_buffer(Device& device, MTL::Buffer* buffer) {
  auto state = state_for(device, buffer, "a buffer");
  if (!state) return tl::unexpected(state.error());
  return AppleBuffer::of(std::move(*state), NS::RetainPtr(buffer));
}

Result<std::shared_ptr<CommandBuffer>> adopt_command_buffer(Device& device, MTL::CommandBuffer* commands) {
  auto state = state_for(device, commands, "a command buffer");
  if (!state) return tl::unexpected(state.error());
  return std::make_shared<AppleCommandBuffer>(std::move(*state), NS::RetainPtr(commands));
}

Result<std::shared_ptr<ComputeCommandEncoder>> adopt_encoder(Device& device, MTL::ComputeCommandEncoder* encoder) {
  auto state = state_for(device, encoder, "an encoder");
  if (!state) return tl::unexpected(state.error());
  return std::make_shared<AppleEncoder>(std::move(*state), NS::RetainPtr(encoder), nullptr);
}

}  // namespace assay::metal::apple
