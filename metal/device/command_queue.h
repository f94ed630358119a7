// Runs command buffers in the order of their commits; MTLCommandQueue.
#pragma once

#include <memory>

#include "metal/device/command_buffer.h"

namespace assay::metal {

class CommandQueue {
 public:
  virtual ~CommandQueue() = default;

  virtual std::shared_ptr<CommandBuffer> command_buffer() = 0;
};

}  // namespace assay::metal
