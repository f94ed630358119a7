#include "metal/apple/apple_buffer.h"

#include <fmt/format.h>

namespace assay::metal::apple {

Result<std::shared_ptr<AppleBuffer>> AppleBuffer::create(std::shared_ptr<AppleState> device, std::uint64_t length,
                                                         std::string label) {
  if (length == 0) return error(Error::Kind::argument, "buffer length = 0: expected at least 1");
  if (length > device->limits.max_buffer_length)
    return error(Error::Kind::limit, fmt::format("buffer length = {}: expected at most maxBufferLength = {}", length,
                                                 device->limits.max_buffer_length));
  const auto pool = autorelease_pool();
  auto buffer = NS::TransferPtr(device->device->newBuffer(length, MTL::ResourceStorageModeShared));
  if (!buffer) return error(Error::Kind::limit, fmt::format("buffer length = {}: there is no memory for it", length));
  if (const auto name = ns_string(label); name) buffer->setLabel(name.get());
  return std::shared_ptr<AppleBuffer>(new AppleBuffer(std::move(device), std::move(buffer), std::move(label)));
}

/// In shared storage the device sees the host's writes by itself; the rule of encoders is all there is to keep.
Result<void> AppleBuffer::did_modify(std::uint64_t offset, std::uint64_t bytes) {
  if (offset > length() || bytes > length() - offset)
    return error(Error::Kind::argument,
                 fmt::format("didModifyRange: offset = {}, bytes = {}: expected a range within {} bytes", offset, bytes,
                             length()));
  device_->epoch.end("Buffer::did_modify");
  return {};
}

}  // namespace assay::metal::apple
