#include "metal/host/commands.h"

#include <optional>
#include <utility>

#include "metal/host/failure.h"

namespace assay::metal::host {

namespace {

/// Ends the encoder after an error too, because Metal ends the process if an encoder is destroyed before that.
Result<void> encode_into(CommandBuffer& commands, const Encode& encode) {
  const auto encoder = made(commands.compute_encoder(DispatchType::serial), "fetching an encoder");
  if (!encoder) return tl::unexpected(encoder.error());
  const Result<void> encoded = encode(**encoder);
  const Result<void> ended = (*encoder)->end_encoding();
  if (!encoded) return failure("encoding", encoded.error());
  if (!ended) return failure("encoding", ended.error());
  return {};
}

}  // namespace

Result<std::shared_ptr<CommandBuffer>> commit(CommandQueue& queue, const Encode& encode) {
  std::shared_ptr<CommandBuffer> commands = queue.command_buffer();
  if (!commands)
    return error(Error::Kind::execution, "making a command buffer: the device gave nothing, and no reason");
  if (const Result<void> encoded = encode_into(*commands, encode); !encoded) return tl::unexpected(encoded.error());
  if (const Result<void> committed = commands->commit(); !committed)
    return failure("committing the commands", committed.error());
  return commands;
}

Result<Commands> commit_each(CommandQueue& queue, std::span<const CommandRange> ranges, const EncodeRange& encode) {
  Commands all;
  for (const CommandRange& range : ranges) {
    Result<std::shared_ptr<CommandBuffer>> commands =
        commit(queue, [&](ComputeCommandEncoder& encoder) { return encode(encoder, range); });
    if (!commands) {
      (void)wait(all);
      return tl::unexpected(commands.error());
    }
    all.push_back(std::move(*commands));
  }
  return all;
}

Result<void> wait(CommandBuffer& commands) {
  if (const Result<void> waited = commands.wait_until_completed(); !waited)
    return failure("waiting for the commands", waited.error());
  if (const std::optional<Error> problem = commands.error()) return failure("running the commands", *problem);
  if (commands.status() == CommandBuffer::Status::completed) return {};
  return error(Error::Kind::execution, "running the commands: they did not complete, and the device gave no reason");
}

Result<void> wait(const Commands& commands) {
  Result<void> first;
  for (const auto& one : commands) {
    const Result<void> waited = wait(*one);
    if (first) first = waited;
  }
  return first;
}

}  // namespace assay::metal::host
