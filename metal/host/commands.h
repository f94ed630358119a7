// Commits a command buffer and waits for it; errors name the step that failed.
#pragma once

#include <functional>
#include <memory>

#include "metal/device/command_queue.h"

namespace assay::metal::host {

/// Encodes only: an allocation or copy would make the encoder stale.
using Encode = std::function<Result<void>(ComputeCommandEncoder&)>;

/// Commits the commands that `encode` writes into a serial encoder. Errors: those of the device and of `encode`,
/// preceded by the step that failed.
Result<std::shared_ptr<CommandBuffer>> commit(CommandQueue& queue, const Encode& encode);

/// Waits for the commands. Errors: as above, and the error that stopped the commands.
Result<void> wait(CommandBuffer& commands);

}  // namespace assay::metal::host
