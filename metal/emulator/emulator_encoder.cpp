#include "metal/emulator/emulator_encoder.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace assay::metal::emulator {

EmulatorEncoder::EmulatorEncoder(std::shared_ptr<DeviceState> device, DispatchType type, Finish finish)
    : device_(std::move(device)), type_(type), finish_(std::move(finish)), epoch_(device_->epoch.count()) {}

bool EmulatorEncoder::is_usable(const char* call) {
  if (error_) return false;
  if (is_ended_) {
    refuse(Error::Kind::stale_encoder, fmt::format("{}: the encoder has ended", call));
  } else if (device_->epoch.count() != epoch_) {
    refuse(
        Error::Kind::stale_encoder,
        fmt::format("{}: the encoder is stale, for {} was called after it was fetched; allocate and copy first, then "
                    "fetch the encoder and only encode",
                    call, device_->epoch.last()));
  }
  return !error_;
}

void EmulatorEncoder::refuse(Error::Kind kind, std::string text) {
  if (!error_) error_ = Error{kind, std::move(text)};
}

bool EmulatorEncoder::expect_index(const char* call, std::uint32_t index) {
  const std::uint32_t most = device_->limits.max_buffers;
  if (index >= most) refuse(Error::Kind::argument, fmt::format("{}: index({}) must be < {}", call, index, most));
  return index < most;
}

void EmulatorEncoder::set_pipeline(std::shared_ptr<const ComputePipeline> pipeline) {
  if (!is_usable("setComputePipelineState")) return;
  pipeline_ = std::dynamic_pointer_cast<const EmulatorPipeline>(pipeline);
  if (!pipeline_) refuse(Error::Kind::argument, "setComputePipelineState: expected a pipeline of this device");
}

void EmulatorEncoder::set_buffer(std::shared_ptr<Buffer> buffer, std::uint64_t offset, std::uint32_t index) {
  constexpr const char* call = "setBuffer:offset:atIndex:";
  if (!is_usable(call) || !expect_index(call, index)) return;
  if (buffer && offset >= buffer->length())
    return refuse(Error::Kind::argument,
                  fmt::format("{} offset({}) must be < [buffer length]({})", call, offset, buffer->length()));
  const bool unbinds = !buffer;
  bindings_[index] = {std::dynamic_pointer_cast<EmulatorBuffer>(std::move(buffer)), offset};
  if (!unbinds && !bindings_[index].buffer)
    refuse(Error::Kind::argument, fmt::format("{} index({}): expected a buffer of this device", call, index));
}

void EmulatorEncoder::set_bytes(std::span<const std::byte> bytes, std::uint32_t index) {
  constexpr const char* call = "setBytes:length:atIndex:";
  if (!is_usable(call) || !expect_index(call, index)) return;
  if (bytes.size() > device_->limits.max_bytes_length)
    return refuse(Error::Kind::limit,
                  fmt::format("{} length({}) must be <= {}", call, bytes.size(), device_->limits.max_bytes_length));
  Result<std::shared_ptr<EmulatorBuffer>> buffer = EmulatorBuffer::create(device_, bytes.size(), {});
  if (!buffer) return refuse(buffer.error().kind, fmt::format("{} {}", call, buffer.error().text));
  std::memcpy((*buffer)->contents(), bytes.data(), bytes.size());
  (*buffer)->note_written(0, bytes.size());
  bindings_[index] = {std::move(*buffer), 0};
}

void EmulatorEncoder::set_threadgroup_memory_length(std::uint64_t length, std::uint32_t index) {
  constexpr const char* call = "setThreadgroupMemoryLength:atIndex:";
  if (!is_usable(call) || !expect_index(call, index)) return;
  if (length % 16 != 0)
    return refuse(Error::Kind::argument, fmt::format("{} length({}) must be a multiple of 16 bytes.", call, length));
  if (length > device_->limits.max_threadgroup_memory_length)
    return refuse(Error::Kind::limit, fmt::format("{} length({}) must be <= {}", call, length,
                                                  device_->limits.max_threadgroup_memory_length));
  threadgroup_lengths_[index] = length;
}

void EmulatorEncoder::dispatch_threads(Size grid, Size group) {
  dispatch("dispatchThreads:threadsPerThreadgroup:", grid, group);
}

void EmulatorEncoder::dispatch_threadgroups(Size groups, Size group) {
  constexpr const char* call = "dispatchThreadgroups:threadsPerThreadgroup:";
  const auto threads = [](std::uint64_t count, std::uint64_t extent) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(count, extent, &product) ? ~std::uint64_t{0} : product;
  };
  dispatch(
      call,
      {threads(groups.width, group.width), threads(groups.height, group.height), threads(groups.depth, group.depth)},
      group);
}

void EmulatorEncoder::dispatch(const char* call, Size threads, Size group) {
  if (!is_usable(call)) return;
  if (const Result<void> fit = check_dispatch(call, threads, group); !fit)
    return refuse(fit.error().kind, fit.error().text);
  commands_.push_back(command(threads, group));
  begins_sequence_ = type_ == DispatchType::serial;
}

void EmulatorEncoder::memory_barrier() {
  if (is_usable("memoryBarrierWithScope:")) begins_sequence_ = true;
}

Result<void> EmulatorEncoder::end_encoding() {
  const bool was_ended = std::exchange(is_ended_, true);
  if (was_ended) return error(Error::Kind::order, "endEncoding has already been called");
  is_ended_ = false;
  const bool is_fine = is_usable("endEncoding");
  is_ended_ = true;
  finish_(std::move(commands_), error_);
  if (!is_fine) return tl::unexpected(*error_);
  return {};
}

}  // namespace assay::metal::emulator
