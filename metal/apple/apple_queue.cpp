#include "metal/apple/apple_queue.h"

#include "metal/apple/apple_encoder.h"
#include "metal/apple/apple_failure.h"
#include "metal/device/command_buffer_rules.h"

namespace assay::metal::apple {

std::shared_ptr<CommandBuffer> AppleQueue::command_buffer() {
  const auto pool = autorelease_pool();
  const auto descriptor = NS::TransferPtr(MTL::CommandBufferDescriptor::alloc()->init());
  descriptor->setErrorOptions(MTL::CommandBufferErrorOptionEncoderExecutionStatus);
  MTL::CommandBuffer* const buffer = queue_->commandBuffer(descriptor.get());
  if (!buffer) return nullptr;
  return std::make_shared<AppleCommandBuffer>(device_, NS::RetainPtr(buffer));
}

Result<std::shared_ptr<ComputeCommandEncoder>> AppleCommandBuffer::compute_encoder(DispatchType type) {
  const std::lock_guard lock(mutex_);
  if (const Result<void> fit = check_new_encoder(is_committed_, has_open_encoder_); !fit)
    return tl::unexpected(fit.error());
  const auto pool = autorelease_pool();
  MTL::ComputeCommandEncoder* const encoder = buffer_->computeCommandEncoder(
      type == DispatchType::concurrent ? MTL::DispatchTypeConcurrent : MTL::DispatchTypeSerial);
  if (!encoder) return metal::error(Error::Kind::environment, "computeCommandEncoder: Metal gave none");
  has_open_encoder_ = true;
  return std::make_shared<AppleEncoder>(
      device_, NS::RetainPtr(encoder),
      [self = shared_from_this()](std::optional<Error> problem) { self->take(std::move(problem)); });
}

void AppleCommandBuffer::take(std::optional<Error> problem) {
  const std::lock_guard lock(mutex_);
  has_open_encoder_ = false;
  if (!encoding_error_) encoding_error_ = std::move(problem);
}

Result<void> AppleCommandBuffer::commit() {
  const std::lock_guard lock(mutex_);
  if (Result<void> fit = check_commit(is_committed_, has_open_encoder_); !fit) return fit;
  is_committed_ = true;
  const auto pool = autorelease_pool();
  if (!encoding_error_) buffer_->commit();
  return {};
}

Result<void> AppleCommandBuffer::wait_until_completed() {
  {
    const std::lock_guard lock(mutex_);
    if (Result<void> fit = check_wait(is_committed_); !fit) return fit;
    if (encoding_error_) return {};
  }
  const auto pool = autorelease_pool();
  buffer_->waitUntilCompleted();
  return {};
}

CommandBuffer::Status AppleCommandBuffer::status() const {
  const std::lock_guard lock(mutex_);
  if (!is_committed_) return Status::not_enqueued;
  if (encoding_error_) return Status::error;
  switch (buffer_->status()) {
    case MTL::CommandBufferStatusCompleted:
      return Status::completed;
    case MTL::CommandBufferStatusError:
      return Status::error;
    default:
      return Status::committed;
  }
}

std::optional<Error> AppleCommandBuffer::error() const {
  if (status() != Status::error) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (encoding_error_) return encoding_error_;
  const auto pool = autorelease_pool();
  return Error{Error::Kind::execution, text_of_failure(buffer_->error())};
}

Result<double> AppleCommandBuffer::gpu_seconds() const {
  if (status() != Status::completed)
    return metal::error(Error::Kind::order, "gpu_seconds: the commands have not completed");
  const std::lock_guard lock(mutex_);
  return buffer_->GPUEndTime() - buffer_->GPUStartTime();
}

}  // namespace assay::metal::apple
