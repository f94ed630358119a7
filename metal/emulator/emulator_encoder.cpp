#include "metal/emulator/emulator_encoder.h"

#include <fmt/format.h>

#include <utility>

#include "metal/device/encoder_rules.h"

namespace assay::metal::emulator {

EmulatorEncoder::EmulatorEncoder(std::shared_ptr<DeviceState> device, DispatchType type, Finish finish)
    : device_(std::move(device)), type_(type), finish_(std::move(finish)), state_(device_->epoch) {}

bool EmulatorEncoder::is_usable(const char* call, std::uint32_t index) {
  return state_.is_usable(call) && state_.accepts(check_index(call, index, device_->limits));
}

void EmulatorEncoder::set_pipeline(std::shared_ptr<const ComputePipeline> pipeline) {
  if (!state_.is_usable("setComputePipelineState")) return;
  pipeline_ = std::dynamic_pointer_cast<const EmulatorPipeline>(pipeline);
  if (!pipeline_) state_.refuse({Error::Kind::argument, "setComputePipelineState: expected a pipeline of this device"});
}

void EmulatorEncoder::set_buffer(std::shared_ptr<Buffer> buffer, std::uint64_t offset, std::uint32_t index) {
  constexpr const char* call = "setBuffer:offset:atIndex:";
  if (!is_usable(call, index)) return;
  if (buffer && !state_.accepts(check_offset(call, offset, buffer->length()))) return;
  const bool unbinds = !buffer;
  bindings_[index] = {std::dynamic_pointer_cast<EmulatorBuffer>(std::move(buffer)), offset};
  if (!unbinds && !bindings_[index].buffer)
    state_.refuse({Error::Kind::argument, fmt::format("{} index({}): expected a buffer of this device", call, index)});
}

void EmulatorEncoder::set_bytes(std::span<const std::byte> bytes, std::uint32_t index) {
  constexpr const char* call = "setBytes:length:atIndex:";
  if (!is_usable(call, index) || !state_.accepts(check_bytes(call, bytes.size(), device_->limits))) return;
  Result<std::shared_ptr<EmulatorBuffer>> buffer = EmulatorBuffer::create(device_, bytes, {});
  if (!buffer) return state_.refuse({buffer.error().kind, fmt::format("{} {}", call, buffer.error().text)});
  bindings_[index] = {std::move(*buffer), 0};
}

void EmulatorEncoder::set_threadgroup_memory_length(std::uint64_t length, std::uint32_t index) {
  constexpr const char* call = "setThreadgroupMemoryLength:atIndex:";
  if (is_usable(call, index) && state_.accepts(check_threadgroup_length(call, length, device_->limits)))
    threadgroup_lengths_[index] = length;
}

void EmulatorEncoder::dispatch_threads(Size grid, Size group) {
  dispatch("dispatchThreads:threadsPerThreadgroup:", grid, group);
}

void EmulatorEncoder::dispatch_threadgroups(Size groups, Size group) {
  dispatch("dispatchThreadgroups:threadsPerThreadgroup:", threads_of(groups, group), group);
}

void EmulatorEncoder::dispatch(const char* call, Size threads, Size group) {
  if (!state_.is_usable(call) || !state_.accepts(check_dispatch(call, threads, group))) return;
  commands_.push_back(command(threads, group));
  begins_sequence_ = type_ == DispatchType::serial;
}

void EmulatorEncoder::memory_barrier() {
  if (state_.is_usable("memoryBarrierWithScope:")) begins_sequence_ = true;
}

Result<void> EmulatorEncoder::end_encoding() {
  if (state_.is_ended()) return state_.end();
  const Result<void> end = state_.end();
  finish_(std::move(commands_), state_.error());
  return end;
}

}  // namespace assay::metal::emulator
