#include "metal/host/svd/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "metal/host/commands.h"

namespace assay::metal::host {

Result<SvdRun> SvdRun::start(const SvdEngine& engine, const SvdStatement& statement, const SvdKernels& kernels,
                             std::uint64_t count, std::span<const std::byte> matrices) {
  SvdRun run(engine, statement, kernels, count);
  const std::lock_guard lock(engine.mutex);
  Result<SvdWorkspace> workspace = svd_workspace(engine.device, statement, count, matrices);
  if (!workspace) return tl::unexpected(workspace.error());
  run.workspace_ = std::move(*workspace);
  return run;
}

/// Every kernel has the same buffer indices.
void SvdRun::bind(ComputeCommandEncoder& encoder) const {
  for (std::uint32_t index = 0; index < workspace_.size(); ++index)
    if (index != svd::shape_index) encoder.set_buffer(workspace_[index], 0, index);
}

/// The barrier orders the dispatches in a concurrent encoder too.
void SvdRun::dispatch(ComputeCommandEncoder& encoder, const SvdKernel& kernel, Size groups, std::uint32_t step) const {
  svd::Shape shape = statement_.shape;
  shape.step = step;
  encoder.memory_barrier();
  encoder.set_pipeline(kernel.pipeline);
  encoder.set_bytes(std::as_bytes(std::span(&shape, 1)), svd::shape_index);
  encoder.set_threadgroup_memory_length(kernel.threadgroup_length, 0);
  encoder.dispatch_threadgroups(groups, {kernel.threads, 1, 1});
}

void SvdRun::encode_sweep(ComputeCommandEncoder& encoder) const {
  if (statement_.method == SvdMethod::sweeps) return dispatch(encoder, kernels_.rotate, {count_, 1, 1});
  for (std::uint32_t step = 0; step < statement_.steps(); ++step)
    dispatch(encoder, kernels_.rotate, {statement_.groups(), count_, 1}, step);
}

Result<void> SvdRun::run(bool with_load, bool with_sweep, bool with_finish) const {
  std::unique_lock lock(engine_.mutex);
  const Result<std::shared_ptr<CommandBuffer>> commands = commit(engine_.queue, [&](ComputeCommandEncoder& encoder) {
    bind(encoder);
    if (with_load) dispatch(encoder, kernels_.load, {count_, 1, 1});
    if (with_sweep) encode_sweep(encoder);
    if (with_finish) dispatch(encoder, kernels_.finish, {count_, 1, 1});
    return Result<void>();
  });
  lock.unlock();
  if (!commands) return tl::unexpected(commands.error());
  return wait(**commands);
}

std::span<const std::uint32_t> SvdRun::status() const {
  return {reinterpret_cast<const std::uint32_t*>(contents(svd::status_index)), count_ * statement_.groups()};
}

Result<void> SvdRun::not_converged(std::uint64_t matrix) const {
  return error(Error::Kind::execution,
               fmt::format("A[b={}]: columns not orthogonal after {} sweeps", matrix, statement_.shape.max_sweeps));
}

/// The first commands load the matrices too.
Result<void> SvdRun::sweep_until_done(std::uint64_t first) const {
  for (std::uint32_t n = 0; n < statement_.shape.max_sweeps; ++n) {
    if (Result<void> done = run(n == 0, true, false); !done) return done;
    if (std::ranges::all_of(status(), [](std::uint32_t rotations) { return rotations == 0; })) return {};
  }
  const auto found = std::ranges::find_if(status(), [](std::uint32_t rotations) { return rotations != 0; });
  return not_converged(first + static_cast<std::uint64_t>(found - status().begin()) / statement_.groups());
}

Result<void> SvdRun::finish(std::uint64_t first) const {
  if (statement_.method != SvdMethod::sweeps) {
    if (Result<void> done = sweep_until_done(first); !done) return done;
    return run(false, false, true);
  }
  if (Result<void> done = run(true, true, true); !done) return done;
  const auto found = std::ranges::find(status(), static_cast<std::uint32_t>(svd::not_converged));
  if (found == status().end()) return {};
  return not_converged(first + static_cast<std::uint64_t>(found - status().begin()));
}

}  // namespace assay::metal::host
