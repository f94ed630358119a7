#include "metal/apple/apple_device.h"

#include <cstring>
#include <utility>

#include "metal/apple/apple_buffer.h"
#include "metal/apple/apple_function.h"
#include "metal/apple/apple_library.h"
#include "metal/apple/apple_queue.h"

namespace assay::metal::apple {

namespace {

/// The rest of Limits is the same on every GPU, but for the width of simdgroups, which only a pipeline tells.
Limits limits_of(const MTL::Device& device) {
  const MTL::Size group = device.maxThreadsPerThreadgroup();
  Limits limits;
  limits.max_threads_per_threadgroup = {group.width, group.height, group.depth};
  limits.max_total_threads_per_threadgroup = static_cast<std::uint32_t>(group.width);
  limits.max_threadgroup_memory_length = device.maxThreadgroupMemoryLength();
  limits.max_buffer_length = device.maxBufferLength();
  limits.recommended_max_working_set_size = device.recommendedMaxWorkingSetSize();
  return limits;
}

}  // namespace

AppleDevice::AppleDevice(NS::SharedPtr<MTL::Device> device, ShaderLanguage language) {
  const auto pool = autorelease_pool();
  state_->name = text(device->name());
  state_->limits = limits_of(*device.get());
  state_->language = std::move(language);
  state_->device = std::move(device);
}

Result<std::shared_ptr<Library>> AppleDevice::new_library(const std::string& source) {
  return AppleLibrary::of_source(state_, source);
}

Result<std::shared_ptr<Library>> AppleDevice::new_library_from_file(const std::filesystem::path& path) {
  return AppleLibrary::of_file(state_, path);
}

Result<std::shared_ptr<const ComputePipeline>> AppleDevice::new_pipeline(std::shared_ptr<const Function> function) {
  auto own = std::dynamic_pointer_cast<const AppleFunction>(std::move(function));
  if (!own) return error(Error::Kind::argument, "newComputePipelineState: expected a function of this device");
  Result<NS::SharedPtr<MTL::ComputePipelineState>> pipeline = own->pipeline();
  if (!pipeline) return tl::unexpected(pipeline.error());
  return std::make_shared<ApplePipeline>(std::move(own), std::move(*pipeline));
}

Result<std::shared_ptr<Buffer>> AppleDevice::new_buffer(std::uint64_t length, const std::string& label) {
  state_->epoch.end("Device::new_buffer");
  return AppleBuffer::create(state_, length, label);
}

Result<std::shared_ptr<Buffer>> AppleDevice::new_buffer(std::span<const std::byte> bytes, const std::string& label) {
  Result<std::shared_ptr<Buffer>> buffer = new_buffer(bytes.size(), label);
  if (buffer) std::memcpy((*buffer)->contents(), bytes.data(), bytes.size());
  return buffer;
}

std::shared_ptr<CommandQueue> AppleDevice::new_command_queue() {
  const auto pool = autorelease_pool();
  auto queue = NS::TransferPtr(state_->device->newCommandQueue());
  return queue ? std::make_shared<AppleQueue>(state_, std::move(queue)) : nullptr;
}

}  // namespace assay::metal::apple
