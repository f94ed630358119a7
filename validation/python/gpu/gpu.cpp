#include "validation/python/gpu/gpu.h"

#include <map>

namespace assay::python {

namespace {

/// A program may queue many calls before the GPU has run the first; each holds its workspace.
constexpr std::size_t max_running = 32;

}  // namespace

Gpu& Gpu::at(int ordinal) {
  static std::mutex mutex;
  // Never destroyed: at the end of the process the driver may be gone before.
  static auto& gpus = *new std::map<int, std::unique_ptr<Gpu>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Gpu>& gpu = gpus[ordinal];
  if (!gpu) gpu.reset(new Gpu(ordinal));
  return *gpu;
}

Gpu::Gpu(int ordinal) : device_(metal::or_throw(metal::nvidia::system_device({.ordinal = ordinal}))) {}

metal::BufferPart Gpu::adopt(std::uint64_t address, std::uint64_t bytes) const {
  if (bytes == 0) return {};
  const std::uint64_t offset = address % metal::nvidia::NvidiaDevice::buffer_alignment;
  return {metal::or_throw(device_->adopt_buffer(address - offset, offset + bytes)), offset};
}

metal::BufferPart Gpu::allocate(std::uint64_t bytes) const {
  if (bytes == 0) return {};
  return {metal::or_throw(device_->new_buffer(bytes, "assay.torch")), 0};
}

std::shared_ptr<metal::CommandQueue> Gpu::queue_on(std::uint64_t stream) const {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): other libraries give their streams as numbers
  return device_->adopt_stream(reinterpret_cast<metal::nvidia::Stream>(stream));
}

std::unique_lock<std::mutex> Gpu::lock() {
  std::unique_lock lock(mutex_);
  drop_completed();
  return lock;
}

void Gpu::keep(const std::shared_ptr<metal::CommandBuffer>& commands) {
  running_.push_back(commands);
  if (running_.size() <= max_running) return;
  metal::or_throw(running_.front()->wait_until_completed());
  drop_completed();
}

void Gpu::drop_completed() {
  while (!running_.empty() && running_.front()->status() != metal::CommandBuffer::Status::committed)
    running_.pop_front();
}

}  // namespace assay::python
