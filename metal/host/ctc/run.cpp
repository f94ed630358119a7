#include "metal/host/ctc/run.h"

#include <cstring>
#include <utility>

#include "metal/host/run.h"

namespace assay::metal::host {

namespace {

void copy_out(const BufferPart& from, std::span<std::byte> to) {
  if (to.empty()) return;
  std::memcpy(to.data(), from.buffer->contents() + from.offset, to.size());
  from.buffer->did_copy(to.data(), from.offset, to.size());
}

}  // namespace

Result<CtcRun> CtcRun::start(Device& device, CommandQueue& queue, const CtcPlan& plan,
                             std::span<const std::byte> activations) {
  CtcRun run;
  if (plan.dispatches().empty()) return run;
  Result<CtcBuffers> buffers = new_buffers<CtcBuffers>(device, "ctc", plan, {{&CtcBuffers::activations, activations}});
  if (!buffers) return tl::unexpected(buffers.error());
  run.buffers_ = std::move(*buffers);
  Result<Commands> commands = commit(queue, plan, run.buffers_, 0, plan.dispatch_count());
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
