#include "metal/host/svd/run.h"

#include <array>
#include <utility>

#include "metal/host/buffers.h"
#include "metal/host/commands.h"

namespace assay::metal::host {

namespace {

Result<SvdBuffers> buffers_for(Device& device, const SvdPlan& plan, std::span<const std::byte> matrices) {
  enum { input, left, values, right, status, count };
  Allocation<std::array<std::shared_ptr<Buffer>, count>> allocation(device, "svd");
  allocation.copy(input, "matrices", matrices);
  allocation.reserve(left, "left", plan.left_bytes());
  allocation.reserve(values, "values", plan.values_bytes());
  allocation.reserve(right, "right", plan.right_bytes());
  allocation.reserve(status, "status", plan.status_bytes());
  auto made = allocation.take();
  if (!made) return tl::unexpected(made.error());
  const auto part = [&](std::size_t index) { return BufferPart{(*made)[index], 0}; };
  return SvdBuffers{part(input), part(left), part(values), part(right), part(status)};
}

}  // namespace

Result<SvdRun> SvdRun::start(const SvdEngine& engine, const SvdStatement& statement, const SvdKernels& kernels,
                             std::span<const std::byte> matrices) {
  const std::lock_guard lock(engine.mutex);
  Result<SvdPlan> plan = svd_plan(engine.device, statement, kernels, statement.B);
  if (!plan) return tl::unexpected(plan.error());
  Result<SvdBuffers> buffers = buffers_for(engine.device, *plan, matrices);
  if (!buffers) return tl::unexpected(buffers.error());
  return SvdRun(engine, std::move(*plan), std::move(*buffers));
}

Result<void> SvdRun::run(std::size_t first, std::size_t count) const {
  std::unique_lock lock(engine_.mutex);
  const Result<Commands> commands = commit_each(engine_.queue, plan_.command_ranges(first, count),
                                                [&](ComputeCommandEncoder& encoder, const CommandRange& range) {
                                                  return plan_.encode(encoder, buffers_, range.first, range.count);
                                                });
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
