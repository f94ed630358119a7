#include "metal/emulator/emulator_buffer.h"

#include <fmt/format.h>

#include <cstring>

namespace assay::metal::emulator {

Result<std::shared_ptr<EmulatorBuffer>> EmulatorBuffer::create(std::shared_ptr<DeviceState> device,
                                                               std::uint64_t length, std::string label) {
  if (length == 0) return error(Error::Kind::argument, "buffer length = 0: expected at least 1");
  if (length > device->limits.max_buffer_length)
    return error(Error::Kind::limit, fmt::format("buffer length = {}: expected at most maxBufferLength = {}", length,
                                                 device->limits.max_buffer_length));
  std::unique_ptr<Allocation> allocation = device->arena->allocate(length);
  if (!allocation)
    return error(Error::Kind::limit, fmt::format("buffer length = {}: there is no memory for it", length));
  // Not a number as any floating-point type: what nobody wrote is noticed even where initcheck is off.
  if (device->is_checked) std::memset(allocation->begin(), 0xFF, length);
  return std::shared_ptr<EmulatorBuffer>(
      new EmulatorBuffer(std::move(device), std::move(allocation), std::move(label)));
}

Result<void> EmulatorBuffer::did_modify(std::uint64_t offset, std::uint64_t bytes) {
  if (offset > length() || bytes > length() - offset)
    return error(Error::Kind::argument,
                 fmt::format("didModifyRange: offset = {}, bytes = {}: expected a range within {} bytes", offset, bytes,
                             length()));
  device_->epoch.end("Buffer::did_modify");
  note_written(offset, bytes);
  return {};
}

void EmulatorBuffer::note_written(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes != 0) allocation_->shadow.host_writes.add(offset, offset + bytes);
}

}  // namespace assay::metal::emulator
