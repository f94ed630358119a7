#include "metal/host/ctc/run.h"

#include <cstring>
#include <utility>

#include "metal/host/buffers.h"
#include "metal/host/commands.h"

namespace assay::metal::host {

namespace {

Result<CtcBuffers> buffers_for(Device& device, const CtcPlan& plan, std::span<const std::byte> activations) {
  Result<std::shared_ptr<Buffer>> input = new_buffer(device, "ctc", "activations", activations);
  if (!input) return tl::unexpected(input.error());
  Result<std::shared_ptr<Buffer>> loss = new_buffer(device, "ctc", "loss", plan.loss_bytes());
  if (!loss) return tl::unexpected(loss.error());
  CtcBuffers buffers{{std::move(*input)}, {}, {std::move(*loss)}};
  if (plan.gradient_bytes() == 0) return buffers;
  Result<std::shared_ptr<Buffer>> gradient = new_buffer(device, "ctc", "gradient", plan.gradient_bytes());
  if (!gradient) return tl::unexpected(gradient.error());
  buffers.gradient.buffer = std::move(*gradient);
  return buffers;
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
  Result<Commands> commands =
      commit_each(queue, plan.command_ranges(), [&](ComputeCommandEncoder& encoder, const CommandRange& range) {
        return plan.encode(encoder, run.buffers_, range.first, range.count);
      });
  if (!commands) return tl::unexpected(commands.error());
  run.commands_ = std::move(*commands);
  return run;
}

Result<void> CtcRun::finish(std::span<std::byte> gradient, std::span<std::byte> loss) const {
  if (commands_.empty()) return {};
  if (Result<void> waited = wait(commands_); !waited) return waited;
  copy_out(buffers_.gradient, gradient);
  copy_out(buffers_.loss, loss);
  return {};
}

}  // namespace assay::metal::host
