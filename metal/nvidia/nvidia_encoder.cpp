#include "metal/nvidia/nvidia_encoder.h"

#include <utility>

namespace assay::metal::nvidia {

namespace {

void store(assay_u32 (&xyz)[3], const Size& size) {
  xyz[0] = static_cast<assay_u32>(size.width);
  xyz[1] = static_cast<assay_u32>(size.height);
  xyz[2] = static_cast<assay_u32>(size.depth);
}

std::uint64_t divided_up(std::uint64_t count, std::uint64_t part) {
  return (count - 1) / part + 1;
}

}  // namespace

NvidiaEncoder::NvidiaEncoder(std::shared_ptr<NvidiaState> device, Finish finish)
    : RecordingEncoder(device->epoch, device->limits), device_(std::move(device)), finish_(std::move(finish)) {}

Result<std::shared_ptr<NvidiaBuffer>> NvidiaEncoder::copy_of(std::span<const std::byte> bytes) {
  return NvidiaBuffer::of_bytes(device_, bytes);
}

void NvidiaEncoder::record(Size threads, Size group) {
  Command command;
  command.pipeline = pipeline();
  command.threads = static_cast<unsigned>(group.count());
  store(command.call.threads, threads);
  store(command.call.group, group);
  store(command.call.groups, {divided_up(threads.width, group.width), divided_up(threads.height, group.height),
                              divided_up(threads.depth, group.depth)});
  for (std::uint32_t index = 0; index < max_arguments; ++index) {
    command.call.threadgroup[index] = command.shared_bytes;
    command.shared_bytes += static_cast<unsigned>(threadgroup_lengths()[index]);
    if (const Binding& binding = bindings()[index]; binding.buffer)
      command.bindings.push_back({index, binding.buffer, binding.offset});
  }
  commands_.push_back(std::move(command));
}

Result<void> NvidiaEncoder::end_encoding() {
  if (state().is_ended()) return state().end();
  const Result<void> end = state().end();
  finish_(std::move(commands_), state().error());
  return end;
}

}  // namespace assay::metal::nvidia
