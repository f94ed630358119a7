// Encodes dispatches for an emulated device.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "metal/device/recording_encoder.h"
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

class EmulatorEncoder final : public RecordingEncoder<EmulatorPipeline, EmulatorBuffer> {
 public:
  /// Receives the commands when encoding has ended.
  using Finish = std::function<void(std::vector<Command> commands, std::optional<Error> error)>;

  EmulatorEncoder(std::shared_ptr<DeviceState> device, DispatchType type, Finish finish);

  /// Lets the kernels of later dispatches access a buffer to which an argument buffer points; useResource:usage:. An
  /// argument buffer holds the address of its contents(). Errors: argument.
  void use_resource(const std::shared_ptr<Buffer>& buffer);

  /// Makes a texture of the buffer's first bytes, whose layout `texture` says; its `texels` is ignored.
  /// setTexture:atIndex:. Errors: argument.
  void set_texture(const std::shared_ptr<Buffer>& texels, abi::Texture texture, std::uint32_t index);
  /// setSamplerState:atIndex:. Errors: argument.
  void set_sampler(const abi::Sampler& sampler, std::uint32_t index);

  void memory_barrier() override;
  Result<void> end_encoding() override;

 private:
  void record(Size threads, Size group) override;
  Result<std::shared_ptr<EmulatorBuffer>> copy_of(std::span<const std::byte> bytes) override;
  struct BoundTexture {
    std::shared_ptr<EmulatorBuffer> texels;
    abi::Texture texture;
  };

  Command command(Size threads, Size group) const;
  Result<void> check_threads(Size threads, Size group) const;
  Result<void> check_textures() const;
  void bind_textures(Command& command) const;
  void describe(DispatchInfo& info) const;
  void bind_absent(const Argument& argument, Command& command) const;

  std::shared_ptr<DeviceState> device_;
  DispatchType type_;
  Finish finish_;
  bool begins_sequence_ = true;
  std::vector<std::shared_ptr<EmulatorBuffer>> resources_;
  std::map<std::uint32_t, BoundTexture> textures_;
  std::map<std::uint32_t, abi::Sampler> samplers_;
  std::vector<Command> commands_;
};

}  // namespace assay::metal::emulator
