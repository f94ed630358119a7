#include "metal/host/svd/run.h"

#include <utility>

#include "metal/host/run.h"

namespace assay::metal::host {

Result<SvdRun> SvdRun::start(const SvdEngine& engine, const SvdStatement& statement, const SvdKernels& kernels,
                             std::span<const std::byte> matrices) {
  const std::lock_guard lock(engine.mutex);
  Result<SvdPlan> plan = svd_plan(engine.device, statement, kernels, statement.B);
  if (!plan) return tl::unexpected(plan.error());
  Result<SvdBuffers> buffers =
      new_buffers<SvdBuffers>(engine.device, "svd", *plan, {{&SvdBuffers::matrices, matrices}});
  if (!buffers) return tl::unexpected(buffers.error());
  return SvdRun(engine, std::move(*plan), std::move(*buffers));
}

Result<void> SvdRun::run(std::size_t first, std::size_t count) const {
  std::unique_lock lock(engine_.mutex);
  const Result<Commands> commands = commit(engine_.queue, plan_, buffers_, first, count);
  lock.unlock();
  if (!commands) return tl::unexpected(commands.error());
  return wait(*commands);
}

std::span<const std::uint32_t> SvdRun::status() const {
  return {reinterpret_cast<const std::uint32_t*>(buffers_.status.buffer->contents()), plan_.statement().B};
}

/// The first commands load the matrices too.
Result<void> SvdRun::sweep_until_done(std::uint64_t first) const {
  const std::size_t round = plan_.dispatches().round();
  Result<void> converged;
  for (std::size_t n = 0; n < plan_.dispatches().rounds(); ++n) {
    const bool is_first = n == 0;
    if (Result<void> done = run(is_first ? 0 : 1 + n * round, is_first ? 1 + round : round); !done) return done;
    converged = plan_.check_status(status(), first);
    if (converged) break;
  }
  return converged;
}

Result<void> SvdRun::finish(std::uint64_t first) const {
  const std::size_t all = plan_.dispatch_count(), finishes = plan_.dispatches().finishes();
  if (plan_.dispatches().round() > 1) {
    if (Result<void> done = sweep_until_done(first); !done) return done;
    return run(all - finishes, finishes);
  }
  if (Result<void> done = run(0, all); !done) return done;
  return plan_.check_status(status(), first);
}

}  // namespace assay::metal::host
