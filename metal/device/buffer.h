// Memory that host and device share; MTLBuffer in shared storage mode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "metal/device/result.h"

namespace assay::metal {

/// Writes the contents of a new buffer, all of its bytes.
using BufferFill = std::function<void(std::span<std::byte>)>;

class Buffer {
 public:
  virtual ~Buffer() = default;

  /// [length()] bytes, at the same address for the buffer's life. The host must not access them while a command that
  /// uses the buffer runs.
  virtual std::byte* contents() = 0;
  virtual std::uint64_t length() const = 0;
  virtual const std::string& label() const = 0;

  /// Tells the device that the host has written [offset, offset + bytes) through contents(). This is a copy to the
  /// device and so makes every open encoder stale. Bytes that were neither given at creation, nor announced here, nor
  /// written by a kernel count as never written. Errors: argument, for a range outside of the buffer.
  virtual Result<void> did_modify(std::uint64_t offset, std::uint64_t bytes) = 0;

  /// Tells the device that the host has copied [offset, offset + bytes) to `to`: an emulator that follows values goes
  /// on there.
  virtual void did_copy(const void* /*to*/, std::uint64_t /*offset*/, std::uint64_t /*bytes*/) {}
};

}  // namespace assay::metal
