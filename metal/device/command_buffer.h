// Commands that run together, once committed; MTLCommandBuffer.
#pragma once

#include <memory>
#include <optional>

#include "metal/device/compute_command_encoder.h"
#include "metal/device/result.h"

namespace assay::metal {

class CommandBuffer {
 public:
  enum class Status { not_enqueued, committed, completed, error };

  virtual ~CommandBuffer() = default;

  /// Errors: order, where another encoder is open or the buffer has been committed.
  virtual Result<std::shared_ptr<ComputeCommandEncoder>> compute_encoder(DispatchType type = DispatchType::serial) = 0;

  /// Hands the commands to the device and returns at once. Errors: order, for a second commit or an open encoder.
  virtual Result<void> commit() = 0;

  /// Returns when the commands have ended, well or not. Errors: order, where nothing was committed.
  virtual Result<void> wait_until_completed() = 0;

  virtual Status status() const = 0;

  /// What stopped the commands; known once they have ended.
  virtual std::optional<Error> error() const = 0;
};

}  // namespace assay::metal
