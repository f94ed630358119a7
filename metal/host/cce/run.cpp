#include "metal/host/cce/run.h"

#include <utility>

#include "metal/host/commands.h"

namespace assay::metal::host {

namespace {

/// The barriers order the dispatches in a concurrent encoder too. Every kernel has the same buffer indices, so each
/// buffer is bound once.
void encode(ComputeCommandEncoder& encoder, const CceWorkspace& workspace, std::span<const CceDispatch> dispatches) {
  for (std::uint32_t index = 0; index < workspace.size(); ++index)
    if (index != cce::shape_index) encoder.set_buffer(workspace[index], 0, index);
  for (const CceDispatch& dispatch : dispatches) {
    encoder.memory_barrier();
    encoder.set_pipeline(dispatch.pipeline);
    encoder.set_bytes(std::as_bytes(std::span(&dispatch.shape, 1)), cce::shape_index);
    encoder.dispatch_threadgroups(dispatch.groups, {dispatch.threads, 1, 1});
  }
}

}  // namespace

Result<CceRun> CceRun::start(Device& device, CommandQueue& queue, const CceStatement& statement,
                             const CceInputs& inputs, std::span<const CceDispatch> dispatches) {
  CceRun run;
  Result<CceWorkspace> workspace = cce_workspace(device, statement, inputs);
  if (!workspace) return tl::unexpected(workspace.error());
  run.workspace_ = std::move(*workspace);
  Result<std::shared_ptr<CommandBuffer>> commands = commit(queue, [&](ComputeCommandEncoder& encoder) {
    encode(encoder, run.workspace_, dispatches);
    return Result<void>();
  });
  if (!commands) return tl::unexpected(commands.error());
  run.commands_ = std::move(*commands);
  return run;
}

Result<void> CceRun::wait() const {
  return host::wait(*commands_);
}

}  // namespace assay::metal::host
