#include "metal/apple/apple_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "metal/apple/apple_buffer.h"
#include "metal/device/encoder_rules.h"

namespace assay::metal::apple {

namespace {

MTL::Size mtl_size(Size size) {
  return MTL::Size::Make(size.width, size.height, size.depth);
}

}  // namespace

AppleEncoder::AppleEncoder(std::shared_ptr<AppleState> device, NS::SharedPtr<MTL::ComputeCommandEncoder> encoder,
                           Finish finish)
    : device_(std::move(device)),
      encoder_(std::move(encoder)),
      finish_(std::move(finish)),
      state_(device_->epoch),
      bound_(device_->limits.max_buffers),
      threadgroup_lengths_(device_->limits.max_buffers) {}

/// Metal ends the process if an encoder is destroyed before its endEncoding.
AppleEncoder::~AppleEncoder() {
  const auto pool = autorelease_pool();
  if (!state_.is_ended() && finish_) encoder_->endEncoding();
}

void AppleEncoder::set_pipeline(std::shared_ptr<const ComputePipeline> pipeline) {
  if (!state_.is_usable("setComputePipelineState")) return;
  pipeline_ = std::dynamic_pointer_cast<const ApplePipeline>(pipeline);
  if (!pipeline_)
    return state_.refuse({Error::Kind::argument, "setComputePipelineState: expected a pipeline of this device"});
  const auto pool = autorelease_pool();
  encoder_->setComputePipelineState(pipeline_->mtl());
  encoder_->insertDebugSignpost(ns_string(pipeline_->function().name()).get());
}

void AppleEncoder::set_buffer(std::shared_ptr<Buffer> buffer, std::uint64_t offset, std::uint32_t index) {
  constexpr const char* call = "setBuffer:offset:atIndex:";
  if (!state_.is_usable(call) || !state_.accepts(check_index(call, index, device_->limits))) return;
  if (buffer && !state_.accepts(check_offset(call, offset, buffer->length()))) return;
  const auto own = std::dynamic_pointer_cast<const AppleBuffer>(buffer);
  if (buffer && !own)
    return state_.refuse(
        {Error::Kind::argument, fmt::format("{} index({}): expected a buffer of this device", call, index)});
  bound_[index] = own ? Bound{offset, own->length()} : Bound{};
  const auto pool = autorelease_pool();
  encoder_->setBuffer(own ? own->mtl() : nullptr, bound_[index].offset, index);
}

void AppleEncoder::set_bytes(std::span<const std::byte> bytes, std::uint32_t index) {
  constexpr const char* call = "setBytes:length:atIndex:";
  if (!state_.is_usable(call) || !state_.accepts(check_index(call, index, device_->limits)) ||
      !state_.accepts(check_bytes(call, bytes.size(), device_->limits)))
    return;
  bound_[index] = {0, bytes.size()};
  const auto pool = autorelease_pool();
  encoder_->setBytes(bytes.data(), bytes.size(), index);
}

/// Metal's validation refuses length 0, and kernels whose threadgroup memory is not set at all; 16 is the least length.
void AppleEncoder::set_threadgroup_memory_length(std::uint64_t length, std::uint32_t index) {
  constexpr const char* call = "setThreadgroupMemoryLength:atIndex:";
  if (!state_.is_usable(call) || !state_.accepts(check_index(call, index, device_->limits)) ||
      !state_.accepts(check_threadgroup_length(call, length, device_->limits)))
    return;
  threadgroup_lengths_[index] = std::max<std::uint64_t>(length, 16);
  const auto pool = autorelease_pool();
  encoder_->setThreadgroupMemoryLength(threadgroup_lengths_[index], index);
}

void AppleEncoder::dispatch_threads(Size grid, Size group) {
  if (!accepts_dispatch("dispatchThreads:threadsPerThreadgroup:", grid, group)) return;
  const auto pool = autorelease_pool();
  encoder_->dispatchThreads(mtl_size(grid), mtl_size(group));
}

void AppleEncoder::dispatch_threadgroups(Size groups, Size group) {
  if (!accepts_dispatch("dispatchThreadgroups:threadsPerThreadgroup:", threads_of(groups, group), group)) return;
  const auto pool = autorelease_pool();
  encoder_->dispatchThreadgroups(mtl_size(groups), mtl_size(group));
}

bool AppleEncoder::accepts_dispatch(const char* call, Size threads, Size group) {
  if (!state_.is_usable(call)) return false;
  if (!pipeline_) {
    state_.refuse({Error::Kind::order, fmt::format("{} no compute pipeline state is set", call)});
    return false;
  }
  const std::uint64_t memory = std::accumulate(threadgroup_lengths_.begin(), threadgroup_lengths_.end(),
                                               pipeline_->static_threadgroup_memory_length());
  const bool is_fine =
      state_.accepts(check_grid(call, threads, group)) &&
      state_.accepts(check_group(group, pipeline_->max_total_threads_per_threadgroup(), device_->limits)) &&
      state_.accepts(check_threadgroup_memory(memory, device_->limits));
  if (!is_fine) return false;
  for (const Argument& argument : pipeline_->function().arguments()) {
    if (argument.kind == Argument::Kind::texture || argument.kind == Argument::Kind::sampler)
      state_.refuse({Error::Kind::binding, fmt::format("{}: {}({}) `{}`: this device layer binds neither textures nor "
                                                       "samplers on Apple GPUs",
                                                       pipeline_->function().name(), attribute_of(argument.kind),
                                                       argument.index, argument.name)});
    if (!state_.is_usable(call)) return false;
    if (argument.index >= bound_.size()) continue;
    if (argument.kind == Argument::Kind::buffer && !state_.accepts(check_buffer(argument))) return false;
    if (argument.kind == Argument::Kind::threadgroup_memory && threadgroup_lengths_[argument.index] == 0)
      set_threadgroup_memory_length(0, argument.index);  // which sets the least length
  }
  return true;
}

/// An unbound buffer is no error, as on other devices, because the kernel may not use it.
Result<void> AppleEncoder::check_buffer(const Argument& argument) const {
  const std::string& kernel = pipeline_->function().name();
  const Bound& bound = bound_[argument.index];
  if (bound.length == 0) return {};
  if (Result<void> fit = check_room(kernel, argument, bound.offset, bound.length); !fit) return fit;
  return check_alignment(kernel, argument, bound.offset);
}

void AppleEncoder::memory_barrier() {
  if (!state_.is_usable("memoryBarrierWithScope:")) return;
  const auto pool = autorelease_pool();
  encoder_->memoryBarrier(MTL::BarrierScopeBuffers);
}

Result<void> AppleEncoder::end_encoding() {
  if (state_.is_ended()) return state_.end();
  const Result<void> end = state_.end();
  if (!finish_) return end;
  const auto pool = autorelease_pool();
  encoder_->endEncoding();
  finish_(state_.error());
  return end;
}

}  // namespace assay::metal::apple
