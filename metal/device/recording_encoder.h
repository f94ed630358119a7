// An encoder that keeps what is bound and refuses what Metal's validation refuses; a backend turns each dispatch that
// passes into a command of its own.
#pragma once

#include <fmt/format.h>

#include <array>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "metal/device/compute_command_encoder.h"
#include "metal/device/encoder_rules.h"
#include "metal/device/encoder_state.h"

namespace assay::metal {

/// `OwnPipeline` and `OwnBuffer` are the backend's classes. A pipeline has a function() with the kernel's name and
/// arguments.
template <class OwnPipeline, class OwnBuffer>
class RecordingEncoder : public ComputeCommandEncoder {
 public:
  static constexpr std::size_t max_arguments = 31;  ///< Limits::max_buffers

  RecordingEncoder(const EncoderEpoch& epoch, const Limits& limits) : state_(epoch), limits_(limits) {}

  void set_pipeline(std::shared_ptr<const ComputePipeline> pipeline) override {
    if (!state_.is_usable("setComputePipelineState")) return;
    pipeline_ = std::dynamic_pointer_cast<const OwnPipeline>(pipeline);
    if (!pipeline_)
      state_.refuse({Error::Kind::argument, "setComputePipelineState: expected a pipeline of this device"});
  }

  void set_buffer(std::shared_ptr<Buffer> buffer, std::uint64_t offset, std::uint32_t index) override {
    constexpr const char* call = "setBuffer:offset:atIndex:";
    if (!is_usable(call, index)) return;
    if (buffer && !state_.accepts(check_offset(call, offset, buffer->length()))) return;
    const bool unbinds = !buffer;
    bindings_[index] = {std::dynamic_pointer_cast<OwnBuffer>(std::move(buffer)), offset};
    if (!unbinds && !bindings_[index].buffer)
      state_.refuse(
          {Error::Kind::argument, fmt::format("{} index({}): expected a buffer of this device", call, index)});
  }

  void set_bytes(std::span<const std::byte> bytes, std::uint32_t index) override {
    constexpr const char* call = "setBytes:length:atIndex:";
    if (!is_usable(call, index) || !state_.accepts(check_bytes(call, bytes.size(), limits_))) return;
    Result<std::shared_ptr<OwnBuffer>> buffer = copy_of(bytes);
    if (!buffer) return state_.refuse({buffer.error().kind, fmt::format("{} {}", call, buffer.error().text)});
    bindings_[index] = {std::move(*buffer), 0};
  }

  void set_threadgroup_memory_length(std::uint64_t length, std::uint32_t index) override {
    constexpr const char* call = "setThreadgroupMemoryLength:atIndex:";
    if (is_usable(call, index) && state_.accepts(check_threadgroup_length(call, length, limits_)))
      threadgroup_lengths_[index] = length;
  }

  void dispatch_threads(Size grid, Size group) override {
    dispatch("dispatchThreads:threadsPerThreadgroup:", grid, group);
  }

  void dispatch_threadgroups(Size groups, Size group) override {
    dispatch("dispatchThreadgroups:threadsPerThreadgroup:", threads_of(groups, group), group);
  }

 protected:
  struct Binding {
    std::shared_ptr<OwnBuffer> buffer;
    std::uint64_t offset = 0;
  };

  /// Keeps a dispatch that breaks no rule.
  virtual void record(Size threads, Size group) = 0;
  /// The memory that set_bytes binds.
  virtual Result<std::shared_ptr<OwnBuffer>> copy_of(std::span<const std::byte> bytes) = 0;

  EncoderState& state() { return state_; }
  const std::shared_ptr<const OwnPipeline>& pipeline() const { return pipeline_; }
  const std::array<Binding, max_arguments>& bindings() const { return bindings_; }
  const std::array<std::uint64_t, max_arguments>& threadgroup_lengths() const { return threadgroup_lengths_; }

 private:
  bool is_usable(const char* call, std::uint32_t index) {
    return state_.is_usable(call) && state_.accepts(check_index(call, index, limits_));
  }

  void dispatch(const char* call, Size threads, Size group) {
    if (state_.is_usable(call) && state_.accepts(check_dispatch(call, threads, group))) record(threads, group);
  }

  Result<void> check_dispatch(const char* call, Size threads, Size group) const {
    if (!pipeline_) return error(Error::Kind::order, fmt::format("{} no compute pipeline state is set", call));
    if (Result<void> fit = check_grid(call, threads, group); !fit) return fit;
    if (Result<void> fit = check_group(group, pipeline_->max_total_threads_per_threadgroup(), limits_); !fit)
      return fit;
    for (const Argument& argument : pipeline_->function().arguments())
      if (Result<void> fit = check_binding(argument); !fit) return fit;
    const auto memory = std::accumulate(threadgroup_lengths_.begin(), threadgroup_lengths_.end(), std::uint64_t{0});
    return check_threadgroup_memory(memory, limits_);
  }

  /// An unbound buffer is no error, because the kernel may not use it.
  Result<void> check_binding(const Argument& argument) const {
    if (argument.kind != Argument::Kind::buffer || argument.index >= bindings_.size()) return {};
    const Binding& binding = bindings_[argument.index];
    if (!binding.buffer) return {};
    const std::string& kernel = pipeline_->function().name();
    if (argument.is_reference)
      if (Result<void> fit = check_room(kernel, argument, binding.offset, binding.buffer->length()); !fit) return fit;
    return check_alignment(kernel, argument, binding.offset);
  }

  EncoderState state_;
  const Limits& limits_;
  std::shared_ptr<const OwnPipeline> pipeline_;
  std::array<Binding, max_arguments> bindings_;
  std::array<std::uint64_t, max_arguments> threadgroup_lengths_{};
};

}  // namespace assay::metal
