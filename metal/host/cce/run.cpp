#include "metal/host/cce/run.h"

#include <utility>

#include "metal/host/run.h"

namespace assay::metal::host {

Result<CceRun> CceRun::start(Device& device, CommandQueue& queue, const CcePlan& plan, const CceInputs& inputs) {
  CceRun run;
  Result<CceBuffers> buffers = new_buffers<CceBuffers>(device, "cce", plan,
                                                       {{&CceBuffers::hidden, inputs.hidden},
                                                        {&CceBuffers::weight, inputs.weight},
                                                        {&CceBuffers::bias, inputs.bias},
                                                        {&CceBuffers::lse, std::as_bytes(inputs.lse)}});
  if (!buffers) return tl::unexpected(buffers.error());
  run.buffers_ = std::move(*buffers);
  Result<Commands> commands = commit(queue, plan, run.buffers_, 0, plan.dispatch_count());
  if (!commands) return tl::unexpected(commands.error());
  run.commands_ = std::move(*commands);
  return run;
}

Result<void> CceRun::wait() const {
  return host::wait(commands_);
}

}  // namespace assay::metal::host
