#include "metal/host/ctc_run.h"

#include <cstring>
#include <optional>
#include <utility>

#include "metal/host/ctc_workspace.h"
#include "metal/host/failure.h"

namespace assay::metal::host {

namespace {

Result<CtcBuffers> buffers_for(Device& device, const CtcPlan& plan, std::span<const std::byte> activations) {
  Result<std::shared_ptr<Buffer>> input = ctc_buffer(device, "activations", activations);
  if (!input) return tl::unexpected(input.error());
  Result<std::shared_ptr<Buffer>> loss = ctc_buffer(device, "loss", plan.loss_bytes());
  if (!loss) return tl::unexpected(loss.error());
  CtcBuffers buffers{{std::move(*input)}, {}, {std::move(*loss)}};
  if (plan.gradient_bytes() == 0) return buffers;
  Result<std::shared_ptr<Buffer>> gradient = ctc_buffer(device, "gradient", plan.gradient_bytes());
  if (!gradient) return tl::unexpected(gradient.error());
  buffers.gradient.buffer = std::move(*gradient);
  return buffers;
}

Result<void> encode(CommandBuffer& commands, const CtcPlan& plan, const CtcBuffers& buffers) {
  const auto encoder = made(commands.compute_encoder(DispatchType::serial), "fetching an encoder");
  if (!encoder) return tl::unexpected(encoder.error());
  const Result<void> encoded = plan.encode(**encoder, buffers);
  const Result<void> ended = (*encoder)->end_encoding();
  if (!encoded) return failure("encoding", encoded.error());
  if (!ended) return failure("encoding", ended.error());
  return {};
}

Result<void> wait(CommandBuffer& commands) {
  if (const Result<void> waited = commands.wait_until_completed(); !waited)
    return failure("waiting for the commands", waited.error());
  if (const std::optional<Error> problem = commands.error()) return failure("running the commands", *problem);
  if (commands.status() == CommandBuffer::Status::completed) return {};
  return error(Error::Kind::execution, "running the commands: they did not complete, and the device gave no reason");
}

void copy_out(const BufferPart& from, std::span<std::byte> to) {
  if (!to.empty()) std::memcpy(to.data(), from.buffer->contents() + from.offset, to.size());
}

}  // namespace

Result<CtcRun> CtcRun::start(Device& device, CommandQueue& queue, const CtcPlan& plan,
                             std::span<const std::byte> activations) {
  CtcRun run;
  if (plan.dispatches().empty()) return run;
  Result<CtcBuffers> buffers = buffers_for(device, plan, activations);
  if (!buffers) return tl::unexpected(buffers.error());
  run.buffers_ = std::move(*buffers);
  run.commands_ = queue.command_buffer();
  if (!run.commands_)
    return error(Error::Kind::execution, "making a command buffer: the device gave nothing, and no reason");
  if (const Result<void> encoded = encode(*run.commands_, plan, run.buffers_); !encoded)
    return tl::unexpected(encoded.error());
  if (const Result<void> committed = run.commands_->commit(); !committed)
    return failure("committing the commands", committed.error());
  return run;
}

Result<void> CtcRun::finish(std::span<std::byte> gradient, std::span<std::byte> loss) const {
  if (!commands_) return {};
  if (Result<void> waited = wait(*commands_); !waited) return waited;
  copy_out(buffers_.gradient, gradient);
  copy_out(buffers_.loss, loss);
  return {};
}

}  // namespace assay::metal::host
