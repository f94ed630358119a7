// A command buffer from its making to its end, with words for what failed on the way.
#pragma once

#include <functional>
#include <memory>

#include "metal/device/command_queue.h"

namespace assay::metal::host {

/// Encodes, and neither allocates nor copies: that would end the encoder.
using Encode = std::function<Result<void>(ComputeCommandEncoder&)>;

/// Commands that `encode` writes into a serial encoder, committed. Errors: the device's and encode's, after what was
/// being done.
Result<std::shared_ptr<CommandBuffer>> commit(CommandQueue& queue, const Encode& encode);

/// Waits for the commands. Errors: as above, and what stopped them.
Result<void> wait(CommandBuffer& commands);

}  // namespace assay::metal::host
