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

  /// Errors: order, if another encoder is open or the buffer has been committed.
  virtual Result<std::shared_ptr<ComputeCommandEncoder>> compute_encoder(DispatchType type = DispatchType::serial) = 0;

  /// Hands the commands to the device and returns at once. Errors: order, for a second commit or an open encoder.
  virtual Result<void> commit() = 0;

  /// Returns when the commands have ended, with or without an error. Errors: order, if the buffer is not committed.
  virtual Result<void> wait_until_completed() = 0;

  virtual Status status() const = 0;

  /// The error that stopped the commands, once they have ended.
  virtual std::optional<Error> error() const = 0;

  /// The time that the commands took on the GPU, once they have completed. Errors: order, before; environment, for a
  /// device that does not measure it.
  virtual Result<double> gpu_seconds() const = 0;
};

}  // namespace assay::metal
