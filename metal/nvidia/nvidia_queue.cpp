#include "metal/nvidia/nvidia_queue.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "metal/device/command_buffer_rules.h"

namespace assay::metal::nvidia {

namespace {

/// The most blocks of a launch along each axis: CUDA C++ Programming Guide, table of technical specifications.
constexpr Extent max_blocks{0x7fffffff, 65535, 65535};

/// Where the bytes of each set_bytes are in one piece of memory.
struct Packed {
  std::vector<std::byte> bytes;
  std::map<const NvidiaBuffer*, std::uint64_t> offsets;
};

Packed packed_bytes(const std::vector<Command>& commands) {
  constexpr std::size_t alignment = 16;
  Packed packed;
  for (const Command& command : commands)
    for (const Command::Bound& bound : command.bindings) {
      const auto bytes = bound.buffer->bytes();
      if (bytes.empty() || !packed.offsets.emplace(bound.buffer.get(), packed.bytes.size()).second) continue;
      packed.bytes.insert(packed.bytes.end(), bytes.begin(), bytes.end());
      packed.bytes.resize((packed.bytes.size() + alignment - 1) / alignment * alignment);
    }
  return packed;
}

}  // namespace

Result<std::shared_ptr<NvidiaStream>> NvidiaStream::create(std::shared_ptr<NvidiaState> device) {
  Stream stream = nullptr;
  auto result = device->make_current();
  if (result) result = device->check("cuStreamCreate", device->driver->create_stream(stream));
  if (!result) return tl::unexpected(result.error());
  return std::shared_ptr<NvidiaStream>(new NvidiaStream(std::move(device), stream, false));
}

std::shared_ptr<NvidiaStream> NvidiaStream::adopt(std::shared_ptr<NvidiaState> device, Stream stream) {
  return std::shared_ptr<NvidiaStream>(new NvidiaStream(std::move(device), stream, true));
}

NvidiaStream::~NvidiaStream() {
  if (is_adopted_) return;
  device_->enter();
  device_->driver->synchronize_stream(stream_);
  device_->driver->destroy_stream(stream_);
}

/// Buffers must outlive the kernels that use them.
NvidiaCommandBuffer::~NvidiaCommandBuffer() {
  device_->enter();
  if (end_ != nullptr) device_->driver->synchronize_event(end_);
  for (Event event : {begin_, end_})
    if (event != nullptr) device_->driver->destroy_event(event);
}

Result<std::shared_ptr<ComputeCommandEncoder>> NvidiaCommandBuffer::compute_encoder(DispatchType) {
  const std::lock_guard lock(mutex_);
  if (const Result<void> fit = check_new_encoder(status_ != Status::not_enqueued, has_open_encoder_); !fit)
    return tl::unexpected(fit.error());
  has_open_encoder_ = true;
  return std::make_shared<NvidiaEncoder>(
      device_, [self = shared_from_this()](std::vector<Command> commands, std::optional<Error> problem) {
        const std::lock_guard own(self->mutex_);
        self->has_open_encoder_ = false;
        if (!self->error_) self->error_ = std::move(problem);
        std::ranges::move(commands, std::back_inserter(self->commands_));
      });
}

/// Launches nothing if encoding failed.
Result<void> NvidiaCommandBuffer::commit() {
  const std::lock_guard lock(mutex_);
  if (Result<void> fit = check_commit(status_ != Status::not_enqueued, has_open_encoder_); !fit) return fit;
  status_ = Status::committed;
  if (!error_)
    if (const Result<void> launched = launch_all(); !launched) error_ = launched.error();
  return {};
}

/// A buffer of the device's kept memory: cuMemAllocAsync takes longer, because a pool gives its memory back whenever
/// the host waits.
Result<void> NvidiaCommandBuffer::keep_bytes(std::span<const std::byte> bytes) {
  auto buffer = NvidiaBuffer::create(device_, bytes.size(), "setBytes");
  if (!buffer) return tl::unexpected(buffer.error());
  bytes_ = std::move(*buffer);
  bytes_->fill_with(bytes);
  return {};
}

Result<void> NvidiaCommandBuffer::launch_all() {
  if (!stream_) return tl::unexpected(stream_.error());
  Driver& driver = *device_->driver;
  const Stream stream = (*stream_)->get();
  const Packed packed = packed_bytes(commands_);
  Result<void> result = packed.bytes.empty() ? device_->make_current() : keep_bytes(packed.bytes);
  const auto step = [&](const char* call, auto&& function) {
    if (result) result = device_->check(call, function());
  };
  step("cuEventCreate", [&] { return driver.create_event(begin_); });
  step("cuEventCreate", [&] { return driver.create_event(end_); });
  for (Command& command : commands_)
    for (const Command::Bound& bound : command.bindings) {
      const auto place = packed.offsets.find(bound.buffer.get());
      const bool is_bytes = place != packed.offsets.end();
      NvidiaBuffer& buffer = is_bytes ? *bytes_ : *bound.buffer;
      if (!result) return result;
      result = buffer.move_to_device(stream);
      command.call.buffers[bound.index] = pointer_to(buffer.address() + bound.offset + (is_bytes ? place->second : 0));
    }
  step("cuEventRecord", [&] { return driver.record_event(begin_, stream); });
  for (Command& command : commands_)
    if (result) result = launch(command);
  step("cuEventRecord", [&] { return driver.record_event(end_, stream); });
  return result;
}

/// A grid that is longer than one launch may be goes in several.
Result<void> NvidiaCommandBuffer::launch(Command& command) {
  auto& call = command.call;
  const auto& groups = call.groups;
  void* argument = &call;
  for (std::uint64_t z = 0; z < groups[2]; z += max_blocks.z)
    for (std::uint64_t y = 0; y < groups[1]; y += max_blocks.y)
      for (std::uint64_t x = 0; x < groups[0]; x += max_blocks.x) {
        call.origin[0] = static_cast<assay_u32>(x);
        call.origin[1] = static_cast<assay_u32>(y);
        call.origin[2] = static_cast<assay_u32>(z);
        const Extent grid{std::min(groups[0] - call.origin[0], max_blocks.x),
                          std::min(groups[1] - call.origin[1], max_blocks.y),
                          std::min(groups[2] - call.origin[2], max_blocks.z)};
        const auto launched = device_->check(
            "cuLaunchKernel", device_->driver->launch(command.pipeline->kernel(), grid, {command.threads, 1, 1},
                                                      command.shared_bytes, (*stream_)->get(), &argument));
        if (!launched) return launched;
      }
  return {};
}

Result<void> NvidiaCommandBuffer::wait_until_completed() {
  const std::lock_guard lock(mutex_);
  if (Result<void> fit = check_wait(status_ != Status::not_enqueued); !fit) return fit;
  if (status_ != Status::committed) return {};
  Result<void> result = error_ ? Result<void>(tl::unexpected(*error_)) : device_->make_current();
  if (result) result = device_->check("cuEventSynchronize", device_->driver->synchronize_event(end_));
  end(result);
  return {};
}

void NvidiaCommandBuffer::end(const Result<void>& result) const {
  status_ = result ? Status::completed : Status::error;
  if (!result && !error_)
    error_ =
        Error{Error::Kind::execution,
              result.error().text + "; run the kernel on the emulator (assay metal check), which names the access"};
  if (!result) return;
  commands_.clear();
  bytes_.reset();
}

CommandBuffer::Status NvidiaCommandBuffer::status() const {
  const std::lock_guard lock(mutex_);
  if (status_ != Status::committed) return status_;
  if (error_) {
    end(tl::unexpected(*error_));
  } else if (const nvidia::Status now = device_->driver->query_event(end_); now != not_ready) {
    end(device_->check("cuEventQuery", now));
  }
  return status_;
}

std::optional<Error> NvidiaCommandBuffer::error() const {
  const Status now = status();
  const std::lock_guard lock(mutex_);
  return now == Status::error ? error_ : std::nullopt;
}

Result<double> NvidiaCommandBuffer::gpu_seconds() const {
  if (status() != Status::completed)
    return metal::error(Error::Kind::order, "gpu_seconds: the commands have not completed");
  float milliseconds = 0;
  const auto result =
      device_->check("cuEventElapsedTime", device_->driver->elapsed_milliseconds(milliseconds, begin_, end_));
  if (!result) return tl::unexpected(result.error());
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace assay::metal::nvidia
