// The device layer on one GPU of Apple's Metal.
#pragma once

#include <memory>
#include <string>

#include "metal/apple/apple_state.h"
#include "metal/device/device.h"

namespace assay::metal::apple {

class AppleDevice final : public Device {
 public:
  AppleDevice(NS::SharedPtr<MTL::Device> device, ShaderLanguage language);

  const std::string& name() const override { return state_->name; }
  const Limits& limits() const override { return state_->limits; }
  std::uint64_t current_allocated_size() const override { return state_->device->currentAllocatedSize(); }
  Result<std::shared_ptr<Library>> new_library(const std::string& source) override;
  Result<std::shared_ptr<Library>> new_library_from_file(const std::filesystem::path& path) override;
  Result<std::shared_ptr<const ComputePipeline>> new_pipeline(std::shared_ptr<const Function> function) override;
  Result<std::shared_ptr<Buffer>> new_buffer(std::uint64_t length, const std::string& label) override;
  Result<std::shared_ptr<Buffer>> new_buffer(std::span<const std::byte> bytes, const std::string& label) override;
  std::shared_ptr<CommandQueue> new_command_queue() override;

  const std::shared_ptr<AppleState>& state() const { return state_; }

 private:
  std::shared_ptr<AppleState> state_ = std::make_shared<AppleState>();
};

}  // namespace assay::metal::apple
