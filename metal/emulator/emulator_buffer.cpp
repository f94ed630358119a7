#include "metal/emulator/emulator_buffer.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "metal/device/buffer_rules.h"
#include "metal/emulator/dispatch/os_threads.h"
#include "metal/emulator/memory/zeroed_pages.h"

namespace assay::metal::emulator {

namespace {

/// On two OS threads, since the system takes longer to find the pages than it takes to fill them.
void poison(Allocation& allocation) {
  constexpr std::uint64_t large = std::uint64_t{1} << 24;
  if (allocation.length() < large) return allocation.poison(0, allocation.length());
  const std::uint64_t half = allocation.length() / 2;
  std::atomic<unsigned> parts = 0;
  on_os_threads(2, [&](std::size_t) {
    for (unsigned part = parts++; part < 2; part = parts++)
      allocation.poison(part * half, part == 0 ? half : allocation.length() - half);
  });
}

}  // namespace

Result<std::shared_ptr<EmulatorBuffer>> EmulatorBuffer::allocate(std::shared_ptr<DeviceState> device,
                                                                 std::uint64_t length, std::string label) {
  if (const Result<void> fit = check_buffer_length(length, device->limits); !fit) return tl::unexpected(fit.error());
  std::unique_ptr<Allocation> allocation = device->arena->allocate(length);
  if (!allocation) return no_memory_for_buffer(length);
  expect_use(allocation->begin(), length);
  return std::shared_ptr<EmulatorBuffer>(
      new EmulatorBuffer(std::move(device), std::move(allocation), std::move(label)));
}

Result<std::shared_ptr<EmulatorBuffer>> EmulatorBuffer::create(std::shared_ptr<DeviceState> device,
                                                               std::uint64_t length, std::string label) {
  const bool is_checked = device->is_checked;
  Result<std::shared_ptr<EmulatorBuffer>> buffer = allocate(std::move(device), length, std::move(label));
  if (buffer && is_checked) poison((*buffer)->allocation());
  return buffer;
}

Result<std::shared_ptr<EmulatorBuffer>> EmulatorBuffer::create(std::shared_ptr<DeviceState> device,
                                                               std::span<const std::byte> bytes, std::string label) {
  const auto copy = [bytes](std::span<std::byte> to) { std::memcpy(to.data(), bytes.data(), bytes.size()); };
  return create(std::move(device), bytes.size(), copy, std::move(label));
}

Result<std::shared_ptr<EmulatorBuffer>> EmulatorBuffer::create(std::shared_ptr<DeviceState> device,
                                                               std::uint64_t length, const BufferFill& fill,
                                                               std::string label) {
  Result<std::shared_ptr<EmulatorBuffer>> buffer = allocate(std::move(device), length, std::move(label));
  if (!buffer) return buffer;
  fill({(*buffer)->contents(), length});
  (*buffer)->note_written(0, length);
  return buffer;
}

Result<std::shared_ptr<EmulatorBuffer>> EmulatorBuffer::create_sparse(std::shared_ptr<DeviceState> device,
                                                                      std::uint64_t length, bool is_written,
                                                                      std::string label) {
  // An index of 32 bits that overflows misses its element by up to 2^32 elements; there must be no other buffer.
  constexpr std::uint64_t max_length = std::uint64_t{1} << 36, gap = std::uint64_t{1} << 34;
  Limits limits = device->limits;
  limits.max_buffer_length = max_length;
  if (const Result<void> fit = check_buffer_length(length, limits); !fit) return tl::unexpected(fit.error());
  std::unique_ptr<Allocation> allocation = device->arena->allocate(length, gap);
  if (!allocation) return no_memory_for_buffer(length);
  allocation->is_sparse = true;
  std::shared_ptr<EmulatorBuffer> buffer(
      new EmulatorBuffer(std::move(device), std::move(allocation), std::move(label)));
  if (is_written) buffer->note_written(0, length);
  return buffer;
}

Result<void> EmulatorBuffer::did_modify(std::uint64_t offset, std::uint64_t bytes) {
  if (Result<void> fit = check_modified_range(offset, bytes, length()); !fit) return fit;
  device_->epoch.end("Buffer::did_modify");
  note_written(offset, bytes);
  return {};
}

EmulatorBuffer::Unwritten EmulatorBuffer::unwritten(std::uint64_t bytes) const {
  Unwritten found;
  const std::uint64_t all = length() / bytes * bytes;
  for (std::uint64_t at = 0; at < all;) {
    at = std::min(all, (allocation_->shadow.written_until(at, all) + bytes - 1) / bytes * bytes);
    const std::uint64_t unwritten = (allocation_->shadow.unwritten_until(at, all) - at + bytes - 1) / bytes;
    if (unwritten != 0 && found.count == 0) found.first = at / bytes;
    found.count += unwritten;
    at += unwritten * bytes;
  }
  return found;
}

void EmulatorBuffer::note_written(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  allocation_->shadow.host_writes.add(offset, offset + bytes);
  if (Algebra* const algebra = device_->executor.algebra())
    algebra->store(contents() + offset, 0, static_cast<std::uint32_t>(bytes));
}

}  // namespace assay::metal::emulator
