#include "metal/nvidia/nvidia_buffer.h"

#include <algorithm>

#include "metal/device/buffer_rules.h"

namespace assay::metal::nvidia {

/// Managed memory beyond the GPU's own would be moved back and forth; Metal has no such buffers either.
Result<std::shared_ptr<NvidiaBuffer>> NvidiaBuffer::create(std::shared_ptr<NvidiaState> device, std::uint64_t length,
                                                           std::string label) {
  if (const Result<void> fit = check_buffer_length(length, device->limits); !fit) return tl::unexpected(fit.error());
  if (const Result<void> current = device->make_current(); !current) return tl::unexpected(current.error());
  const std::uint64_t before = device->allocated_bytes.fetch_add(length);
  const bool fits = before <= device->limits.max_buffer_length - length;
  const auto piece = fits ? device->memory->take(length) : std::nullopt;
  if (!piece) {
    device->allocated_bytes -= length;
    return no_memory_for_buffer(length);
  }
  return std::shared_ptr<NvidiaBuffer>(
      new NvidiaBuffer(std::move(device), Kind::managed, *piece, length, std::move(label)));
}

std::shared_ptr<NvidiaBuffer> NvidiaBuffer::of_address(std::shared_ptr<NvidiaState> device, Address address,
                                                       std::uint64_t length) {
  return std::shared_ptr<NvidiaBuffer>(
      new NvidiaBuffer(std::move(device), Kind::adopted, {address, length, false}, length, {}));
}

std::shared_ptr<NvidiaBuffer> NvidiaBuffer::of_bytes(std::shared_ptr<NvidiaState> device,
                                                     std::span<const std::byte> bytes) {
  auto buffer = std::shared_ptr<NvidiaBuffer>(new NvidiaBuffer(std::move(device), Kind::bytes, {}, bytes.size(), {}));
  buffer->bytes_.assign(bytes.begin(), bytes.end());
  return buffer;
}

NvidiaBuffer::~NvidiaBuffer() {
  if (kind_ != Kind::managed) return;
  device_->enter();
  device_->memory->give_back({piece_.address, piece_.bytes, is_on_host_});
  device_->allocated_bytes -= length_;
}

Result<void> NvidiaBuffer::did_modify(std::uint64_t offset, std::uint64_t bytes) {
  if (Result<void> fit = check_modified_range(offset, bytes, length_); !fit) return fit;
  device_->epoch.end("Buffer::did_modify");
  is_on_host_ = kind_ == Kind::managed;
  return {};
}

std::byte* NvidiaBuffer::contents() {
  if (kind_ == Kind::adopted) return nullptr;
  const std::lock_guard lock(mutex_);
  is_on_host_ = true;
  if (kind_ == Kind::managed) {
    std::ranges::copy(bytes_, pointer_to(piece_.address));
    bytes_.clear();
  }
  return pointer_to(piece_.address);
}

Result<void> NvidiaBuffer::move_to_device(Stream stream) {
  if (is_on_host_.exchange(false)) {
    const Result<void> moved = device_->check(
        "cuMemPrefetchAsync", device_->driver->prefetch(piece_.address, length_, device_->ordinal, stream));
    if (!moved) return moved;
  }
  const std::lock_guard lock(mutex_);
  if (kind_ != Kind::managed || bytes_.empty()) return {};
  const Result<void> copied = device_->check(
      "cuMemcpyHtoDAsync", device_->driver->copy_to_device(piece_.address, bytes_.data(), bytes_.size(), stream));
  bytes_.clear();
  return copied;
}

}  // namespace assay::metal::nvidia
