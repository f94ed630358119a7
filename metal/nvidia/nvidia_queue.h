// Command buffers of an NVIDIA device, which run in order on a stream of their queue.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "metal/device/command_queue.h"
#include "metal/nvidia/nvidia_encoder.h"

namespace assay::metal::nvidia {

/// A stream of the device, destroyed with this object unless it belongs to another library.
class NvidiaStream {
 public:
  /// Errors: environment.
  static Result<std::shared_ptr<NvidiaStream>> create(std::shared_ptr<NvidiaState> device);
  static std::shared_ptr<NvidiaStream> adopt(std::shared_ptr<NvidiaState> device, Stream stream);
  ~NvidiaStream();
  NvidiaStream(const NvidiaStream&) = delete;
  NvidiaStream& operator=(const NvidiaStream&) = delete;

  NvidiaState& device() const { return *device_; }
  Stream get() const { return stream_; }

 private:
  NvidiaStream(std::shared_ptr<NvidiaState> device, Stream stream, bool is_adopted)
      : device_(std::move(device)), stream_(stream), is_adopted_(is_adopted) {}

  std::shared_ptr<NvidiaState> device_;
  Stream stream_;
  bool is_adopted_;
};

class NvidiaCommandBuffer final : public CommandBuffer, public std::enable_shared_from_this<NvidiaCommandBuffer> {
 public:
  /// `stream` is the reason why there is none, if the queue could not make one.
  NvidiaCommandBuffer(std::shared_ptr<NvidiaState> device, Result<std::shared_ptr<NvidiaStream>> stream)
      : device_(std::move(device)), stream_(std::move(stream)) {}
  ~NvidiaCommandBuffer() override;
  NvidiaCommandBuffer(const NvidiaCommandBuffer&) = delete;
  NvidiaCommandBuffer& operator=(const NvidiaCommandBuffer&) = delete;

  Result<std::shared_ptr<ComputeCommandEncoder>> compute_encoder(DispatchType type) override;
  Result<void> commit() override;
  Result<void> wait_until_completed() override;
  Status status() const override;
  std::optional<Error> error() const override;

  /// The time that the commands took on the GPU, once they have completed: MTLCommandBuffer's GPUEndTime less
  /// GPUStartTime. Errors: environment; order, before they have.
  Result<double> gpu_seconds() const override;

 private:
  Result<void> launch_all();
  Result<void> keep_bytes(std::span<const std::byte> bytes);
  Result<void> launch(Command& command);
  void end(const Result<void>& result) const;

  std::shared_ptr<NvidiaState> device_;
  Result<std::shared_ptr<NvidiaStream>> stream_;
  mutable std::mutex mutex_;
  mutable Status status_ = Status::not_enqueued;
  mutable std::optional<Error> error_;  ///< of encoding, then of running
  mutable std::vector<Command> commands_;
  mutable std::shared_ptr<NvidiaBuffer> bytes_;  ///< of each set_bytes
  bool has_open_encoder_ = false;
  Event begin_ = nullptr, end_ = nullptr;
};

class NvidiaQueue final : public CommandQueue {
 public:
  NvidiaQueue(std::shared_ptr<NvidiaState> device, Result<std::shared_ptr<NvidiaStream>> stream)
      : device_(std::move(device)), stream_(std::move(stream)) {}

  std::shared_ptr<CommandBuffer> command_buffer() override {
    return std::make_shared<NvidiaCommandBuffer>(device_, stream_);
  }

 private:
  std::shared_ptr<NvidiaState> device_;
  Result<std::shared_ptr<NvidiaStream>> stream_;
};

}  // namespace assay::metal::nvidia
