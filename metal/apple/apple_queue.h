// Command buffers of an Apple device, and the queue that runs them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "metal/apple/apple_state.h"
#include "metal/device/command_queue.h"

namespace assay::metal::apple {

class AppleCommandBuffer final : public CommandBuffer, public std::enable_shared_from_this<AppleCommandBuffer> {
 public:
  AppleCommandBuffer(std::shared_ptr<AppleState> device, NS::SharedPtr<MTL::CommandBuffer> buffer)
      : device_(std::move(device)), buffer_(std::move(buffer)) {}

  Result<std::shared_ptr<ComputeCommandEncoder>> compute_encoder(DispatchType type) override;

  /// If encoding failed, nothing is committed to Metal, and the buffer fails at once.
  Result<void> commit() override;
  Result<void> wait_until_completed() override;
  Status status() const override;
  std::optional<Error> error() const override;
  Result<double> gpu_seconds() const override;

 private:
  void take(std::optional<Error> error);

  std::shared_ptr<AppleState> device_;
  NS::SharedPtr<MTL::CommandBuffer> buffer_;
  mutable std::mutex mutex_;
  bool is_committed_ = false, has_open_encoder_ = false;
  std::optional<Error> encoding_error_;
};

class AppleQueue final : public CommandQueue {
 public:
  AppleQueue(std::shared_ptr<AppleState> device, NS::SharedPtr<MTL::CommandQueue> queue)
      : device_(std::move(device)), queue_(std::move(queue)) {}

  /// Waits while 64 command buffers are uncompleted, Metal's limit.
  std::shared_ptr<CommandBuffer> command_buffer() override;

 private:
  std::shared_ptr<AppleState> device_;
  NS::SharedPtr<MTL::CommandQueue> queue_;
};

}  // namespace assay::metal::apple
