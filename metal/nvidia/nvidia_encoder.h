// Encodes dispatches for an NVIDIA device.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "metal/device/recording_encoder.h"
#include "metal/emulator/abi/shader_abi.h"
#include "metal/nvidia/nvidia_buffer.h"
#include "metal/nvidia/nvidia_library.h"

namespace assay::metal::nvidia {

/// A dispatch with the objects that must live until it has run.
struct Command {
  struct Bound {
    std::uint32_t index;
    std::shared_ptr<NvidiaBuffer> buffer;
    std::uint64_t offset;
  };

  std::shared_ptr<const NvidiaPipeline> pipeline;
  std::vector<Bound> bindings;
  emulator::abi::GpuCall call{};  ///< without the buffers
  unsigned threads = 0;           ///< of a whole group
  unsigned shared_bytes = 0;      ///< of threadgroup arguments
};

class NvidiaEncoder final : public RecordingEncoder<NvidiaPipeline, NvidiaBuffer> {
 public:
  /// Receives the commands when encoding has ended.
  using Finish = std::function<void(std::vector<Command> commands, std::optional<Error> error)>;

  NvidiaEncoder(std::shared_ptr<NvidiaState> device, Finish finish);

  /// Dispatches run one after another on the GPU's stream, also those of a concurrent encoder.
  void memory_barrier() override { state().is_usable("memoryBarrierWithScope:"); }
  Result<void> end_encoding() override;

 private:
  void record(Size threads, Size group) override;
  Result<std::shared_ptr<NvidiaBuffer>> copy_of(std::span<const std::byte> bytes) override;

  std::shared_ptr<NvidiaState> device_;
  Finish finish_;
  std::vector<Command> commands_;
};

}  // namespace assay::metal::nvidia
