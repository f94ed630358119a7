// A device that computes nothing: it keeps the buffers that a host makes and the dispatches that it encodes, as data
// for a program with a Metal of its own, such as PyTorch's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "metal/device/device.h"
#include "metal/host/buffer_part.h"

namespace assay::metal::host {

/// The limits of the other program's Metal.
struct RecordingOptions {
  /// Bytes; 0: not known, and no limit.
  std::uint64_t recommended_max_working_set_size = 0;
  /// Threads in a group of the kernels that take fewer than 1024, by their names.
  std::map<std::string, std::uint32_t> max_threads = {};
};

struct RecordedBuffer {
  std::string label;
  std::uint64_t length = 0;
  std::vector<std::byte> contents = {};  ///< [length], or empty: uninitialised
};

struct RecordedDispatch {
  struct Binding {
    std::size_t buffer = 0;  ///< its place in RecordingDevice::buffers()
    std::uint64_t offset = 0;
  };

  std::string kernel;
  FunctionConstants constants;
  std::map<std::uint32_t, Binding> buffers;               ///< by [[buffer(index)]]
  std::map<std::uint32_t, std::vector<std::byte>> bytes;  ///< by [[buffer(index)]]
  std::map<std::uint32_t, std::uint64_t> threadgroup_lengths;
  Size threads, group;
};

class RecordingDevice final : public Device {
 public:
  /// Bytes of a kernel's own variables: at least those of every kernel in metal/kernels. Its [[threadgroup]] arguments
  /// are added.
  static constexpr std::uint64_t static_threadgroup_memory_length = 1024;

  static std::shared_ptr<RecordingDevice> create(RecordingOptions options);

  const std::string& name() const override;
  const Limits& limits() const override { return limits_; }
  std::uint64_t current_allocated_size() const override;
  /// A library that has every kernel.
  Result<std::shared_ptr<Library>> new_library(const std::string& source) override;
  Result<std::shared_ptr<Library>> new_library_from_file(const std::filesystem::path& path) override;
  Result<std::shared_ptr<const ComputePipeline>> new_pipeline(std::shared_ptr<const Function> function) override;
  /// contents() of such a buffer are null.
  Result<std::shared_ptr<Buffer>> new_buffer(std::uint64_t length, const std::string& label) override;
  Result<std::shared_ptr<Buffer>> new_buffer(std::span<const std::byte> bytes, const std::string& label) override;
  /// A queue that gives no command buffers.
  std::shared_ptr<CommandQueue> new_command_queue() override;

  /// A buffer of the caller; absent for 0 bytes.
  BufferPart part(const std::string& label, std::uint64_t bytes);

  /// Keeps what `encode` encodes, each dispatch to run after those before it. Errors: those of `encode`; what Metal's
  /// validation refuses.
  Result<void> record(const std::function<Result<void>(ComputeCommandEncoder&)>& encode);

  const std::vector<RecordedBuffer>& buffers() const { return buffers_; }
  const std::vector<RecordedDispatch>& dispatches() const { return dispatches_; }

 private:
  explicit RecordingDevice(RecordingOptions options);
  std::shared_ptr<Buffer> keep(RecordedBuffer buffer);

  RecordingOptions options_;
  Limits limits_;
  std::vector<RecordedBuffer> buffers_;
  std::vector<RecordedDispatch> dispatches_;
};

}  // namespace assay::metal::host
