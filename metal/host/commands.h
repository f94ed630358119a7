// Commits command buffers and waits for them; errors name the step that failed.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "metal/device/command_queue.h"
#include "metal/host/work.h"

namespace assay::metal::host {

/// Encodes only: an allocation or copy would make the encoder stale.
using Encode = std::function<Result<void>(ComputeCommandEncoder&)>;
using EncodeRange = std::function<Result<void>(ComputeCommandEncoder&, const CommandRange&)>;

/// In the order of their commits.
using Commands = std::vector<std::shared_ptr<CommandBuffer>>;

/// Commits the commands that `encode` writes into a serial encoder. Errors: those of the device and of `encode`,
/// preceded by the step that failed.
Result<std::shared_ptr<CommandBuffer>> commit(CommandQueue& queue, const Encode& encode);

/// Commits each of the ranges in a command buffer of its own. Errors: as above; what was committed before an error has
/// then ended.
Result<Commands> commit_each(CommandQueue& queue, std::span<const CommandRange> ranges, const EncodeRange& encode);

/// Waits for the commands. Errors: as above, and the error that stopped the commands.
Result<void> wait(CommandBuffer& commands);

/// Waits for all of them. Errors: the first one.
Result<void> wait(const Commands& commands);

}  // namespace assay::metal::host
