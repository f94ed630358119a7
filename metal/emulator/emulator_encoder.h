// Encodes dispatches for an emulated device, and refuses what Metal's validation refuses.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "metal/device/compute_command_encoder.h"
#include "metal/device/encoder_state.h"
#include "metal/emulator/device_state.h"
#include "metal/emulator/dispatch/launch.h"
#include "metal/emulator/emulator_buffer.h"
#include "metal/emulator/emulator_library.h"

namespace assay::metal::emulator {

/// A dispatch with the objects that must live until it has run.
struct Command {
  std::unique_ptr<Launch> launch;
  std::shared_ptr<const EmulatorPipeline> pipeline;
  std::vector<std::shared_ptr<EmulatorBuffer>> buffers;
};

class EmulatorEncoder final : public ComputeCommandEncoder {
 public:
  /// Receives the commands when encoding has ended.
  using Finish = std::function<void(std::vector<Command> commands, std::optional<Error> error)>;

  EmulatorEncoder(std::shared_ptr<DeviceState> device, DispatchType type, Finish finish);

  void set_pipeline(std::shared_ptr<const ComputePipeline> pipeline) override;
  void set_buffer(std::shared_ptr<Buffer> buffer, std::uint64_t offset, std::uint32_t index) override;
  void set_bytes(std::span<const std::byte> bytes, std::uint32_t index) override;
  void set_threadgroup_memory_length(std::uint64_t length, std::uint32_t index) override;
  void dispatch_threads(Size grid, Size group) override;
  void dispatch_threadgroups(Size groups, Size group) override;
  void memory_barrier() override;
  Result<void> end_encoding() override;

 private:
  struct Binding {
    std::shared_ptr<EmulatorBuffer> buffer;
    std::uint64_t offset = 0;
  };

  /// Whether the call may go on; if not, keeps the error.
  bool is_usable(const char* call, std::uint32_t index);
  void dispatch(const char* call, Size threads, Size group);
  Result<void> check_binding(const Argument& argument) const;
  Result<void> check_dispatch(const char* call, Size threads, Size group) const;
  Command command(Size threads, Size group) const;
  void describe(DispatchInfo& info) const;

  std::shared_ptr<DeviceState> device_;
  DispatchType type_;
  Finish finish_;
  EncoderState state_;
  bool begins_sequence_ = true;
  std::shared_ptr<const EmulatorPipeline> pipeline_;
  std::array<Binding, abi::max_arguments> bindings_;
  ThreadgroupMemory::Lengths threadgroup_lengths_{};
  std::vector<Command> commands_;
};

}  // namespace assay::metal::emulator
