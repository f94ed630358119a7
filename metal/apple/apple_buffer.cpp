#include "metal/apple/apple_buffer.h"

#include "metal/device/buffer_rules.h"

namespace assay::metal::apple {

Result<std::shared_ptr<AppleBuffer>> AppleBuffer::create(std::shared_ptr<AppleState> device, std::uint64_t length,
                                                         std::string label) {
  if (const Result<void> fit = check_buffer_length(length, device->limits); !fit) return tl::unexpected(fit.error());
  const auto pool = autorelease_pool();
  auto buffer = NS::TransferPtr(device->device->newBuffer(length, MTL::ResourceStorageModeShared));
  if (!buffer) return no_memory_for_buffer(length);
  if (const auto name = ns_string(label); name) buffer->setLabel(name.get());
  return std::shared_ptr<AppleBuffer>(new AppleBuffer(std::move(device), std::move(buffer), std::move(label)));
}

std::shared_ptr<AppleBuffer> AppleBuffer::of(std::shared_ptr<AppleState> device, NS::SharedPtr<MTL::Buffer> buffer) {
  const auto pool = autorelease_pool();
  std::string label = text(buffer->label());
  return std::shared_ptr<AppleBuffer>(new AppleBuffer(std::move(device), std::move(buffer), std::move(label)));
}

/// In shared storage the device sees the host's writes without a copy. Only the stale-encoder rule remains to be kept.
Result<void> AppleBuffer::did_modify(std::uint64_t offset, std::uint64_t bytes) {
  if (Result<void> fit = check_modified_range(offset, bytes, length()); !fit) return fit;
  device_->epoch.end("Buffer::did_modify");
  return {};
}

}  // namespace assay::metal::apple
