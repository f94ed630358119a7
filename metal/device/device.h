// The device, which makes all other objects; MTLDevice. Backends: the emulator (any CPU), Apple's Metal (macOS), mocks
// (tests).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "metal/device/buffer.h"
#include "metal/device/command_queue.h"
#include "metal/device/compute_pipeline.h"
#include "metal/device/library.h"
#include "metal/device/limits.h"
#include "metal/device/result.h"

namespace assay::metal {

class Device {
 public:
  virtual ~Device() = default;

  virtual const std::string& name() const = 0;
  virtual const Limits& limits() const = 0;

  /// Bytes of this program's buffers that exist now: MTLDevice's currentAllocatedSize.
  virtual std::uint64_t current_allocated_size() const = 0;

  /// Errors: compile.
  virtual Result<std::shared_ptr<Library>> new_library(const std::string& source) = 0;

  /// Compiles the file's text as new_library does; the library can reload it. Errors: compile, environment.
  virtual Result<std::shared_ptr<Library>> new_library_from_file(const std::filesystem::path& path) = 0;

  /// Errors: limit, argument.
  virtual Result<std::shared_ptr<const ComputePipeline>> new_pipeline(std::shared_ptr<const Function> function) = 0;

  /// `length` bytes that nobody has written. The allocation makes every open encoder stale. Errors: argument, for 0;
  /// limit.
  virtual Result<std::shared_ptr<Buffer>> new_buffer(std::uint64_t length, const std::string& label = {}) = 0;

  /// A copy of `bytes`. Encoders and errors: as above.
  virtual Result<std::shared_ptr<Buffer>> new_buffer(std::span<const std::byte> bytes,
                                                     const std::string& label = {}) = 0;

  virtual std::shared_ptr<CommandQueue> new_command_queue() = 0;
};

}  // namespace assay::metal
