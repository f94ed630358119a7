// The device layer on NVIDIA GPUs: the same .metal sources, compiled by clang to PTX, on the CUDA driver API.
//
// Metal's dispatches become launches on a stream, its shared buffers managed memory, a simdgroup a warp. What the
// emulator refuses is refused here too; accesses are not checked.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "metal/device/device.h"
#include "metal/device/shader_language.h"
#include "metal/nvidia/driver.h"

namespace assay::metal::nvidia {

struct NvidiaState;

struct NvidiaOptions {
  int ordinal = 0;  ///< of the device among CUDA's
  ShaderLanguage language = {};
};

class NvidiaDevice final : public Device {
 public:
  /// Errors: environment, if there is no such GPU, or it or its driver is too old, with what to do.
  static Result<std::shared_ptr<NvidiaDevice>> create(std::shared_ptr<Driver> driver, NvidiaOptions options = {});

  const std::string& name() const override;
  const Limits& limits() const override;
  std::uint64_t current_allocated_size() const override;
  Result<std::shared_ptr<Library>> new_library(const std::string& source) override;
  Result<std::shared_ptr<Library>> new_library_from_file(const std::filesystem::path& path) override;
  Result<std::shared_ptr<const ComputePipeline>> new_pipeline(std::shared_ptr<const Function> function) override;
  Result<std::shared_ptr<Buffer>> new_buffer(std::uint64_t length, const std::string& label) override;
  Result<std::shared_ptr<Buffer>> new_buffer(std::span<const std::byte> bytes, const std::string& label) override;
  std::shared_ptr<CommandQueue> new_command_queue() override;

  static constexpr std::uint64_t buffer_alignment = 16;  ///< of adopted buffers

  /// Memory of another library, such as a tensor of PyTorch: `length` bytes from `address` on that kernels of the
  /// device may access. The library keeps it until the commands have completed, and orders its own accesses. contents()
  /// is null. Errors: argument, for an address that is 0 or no multiple of buffer_alignment, and a length of 0.
  Result<std::shared_ptr<Buffer>> adopt_buffer(Address address, std::uint64_t length);

  /// A queue on a stream of another library, such as PyTorch's current stream; null is CUDA's default stream. Its
  /// commands run after those that are in the stream when they are committed. The stream must outlive them.
  std::shared_ptr<CommandQueue> adopt_stream(Stream stream);

  /// The architecture that shaders are compiled for, for example "sm_90".
  const std::string& architecture() const;

 private:
  NvidiaDevice(std::shared_ptr<NvidiaState> state, NvidiaOptions options)
      : state_(std::move(state)), options_(std::move(options)) {}

  std::shared_ptr<NvidiaState> state_;
  NvidiaOptions options_;
};

/// The first GPU of this machine, through its own driver. Errors: as create().
Result<std::shared_ptr<NvidiaDevice>> system_device(NvidiaOptions options = {});

}  // namespace assay::metal::nvidia
