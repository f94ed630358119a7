#include "metal/nvidia/nvidia_buffer.h"

#include "metal/device/buffer_rules.h"

namespace assay::metal::nvidia {

/// Managed memory beyond the GPU's own would be moved back and forth; Metal has no such buffers either.
Result<std::shared_ptr<NvidiaBuffer>> NvidiaBuffer::create(std::shared_ptr<NvidiaState> device, std::uint64_t length,
                                                           std::string label) {
  if (const Result<void> fit = check_buffer_length(length, device->limits); !fit) return tl::unexpected(fit.error());
  if (const Result<void> current = device->make_current(); !current) return tl::unexpected(current.error());
  const std::uint64_t before = device->allocated_bytes.fetch_add(length);
  Address address = 0;
  if (before > device->limits.max_buffer_length - length ||
      device->driver->allocate_managed(address, length) != success) {
    device->allocated_bytes -= length;
    return no_memory_for_buffer(length);
  }
  return std::shared_ptr<NvidiaBuffer>(new NvidiaBuffer(std::move(device), address, length, std::move(label)));
}

std::shared_ptr<NvidiaBuffer> NvidiaBuffer::of_bytes(std::shared_ptr<NvidiaState> device,
                                                     std::span<const std::byte> bytes) {
  auto buffer = std::shared_ptr<NvidiaBuffer>(new NvidiaBuffer(std::move(device), 0, bytes.size(), {}));
  buffer->bytes_.assign(bytes.begin(), bytes.end());
  return buffer;
}

NvidiaBuffer::~NvidiaBuffer() {
  if (!bytes_.empty()) return;
  device_->enter();
  device_->driver->free(address_);
  device_->allocated_bytes -= length_;
}

Result<void> NvidiaBuffer::did_modify(std::uint64_t offset, std::uint64_t bytes) {
  if (Result<void> fit = check_modified_range(offset, bytes, length_); !fit) return fit;
  device_->epoch.end("Buffer::did_modify");
  is_on_host_ = true;
  return {};
}

Result<void> NvidiaBuffer::move_to_device(Stream stream) {
  if (!is_on_host_.exchange(false)) return {};
  return device_->check("cuMemPrefetchAsync", device_->driver->prefetch(address_, length_, device_->ordinal, stream));
}

}  // namespace assay::metal::nvidia
