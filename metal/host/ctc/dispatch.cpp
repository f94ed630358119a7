#include "metal/host/ctc/dispatch.h"

#include <algorithm>
#include <utility>

namespace assay::metal::host {

namespace {

/// The work of a step of the recursion, of however few states: half a microsecond, and two with states in memory.
constexpr std::uint64_t least_step = 1 << 18, least_device_step = 1 << 20;

class Dispatches {
 public:
  Dispatches(CtcKernels& kernels, const CtcStatement& statement) : kernels_(kernels), statement_(statement) {}

  Result<void> add_chunk(const CtcChunk& chunk) {
    const bool has_frames = statement_.T != 0;
    const bool has_gradient = has_frames && statement_.with_gradient;
    const bool is_plain = statement_.path == CtcPath::plain;
    Result<void> result;
    if (has_frames) result = add_frames(kernels_.softmax(), chunk);
    if (result && is_plain) result = add_plain(kernels_.recursion(chunk.longest), chunk);
    if (result && !is_plain) result = add_recursion(chunk, has_gradient ? 2 : 1);
    if (result && has_gradient && is_plain) result = add_plain(kernels_.plain_beta(chunk.longest), chunk);
    if (result && has_gradient) result = add_frames(kernels_.gradient(), chunk);
    return result;
  }

  Result<void> add_reduce() {
    const auto B = static_cast<std::uint32_t>(statement_.B);
    return add(kernels_.reduce(), {0, B, 1, 0}, {1, 1, 1}, work_of({1, 1, 1}, B));
  }

  std::vector<CtcDispatch> take() { return std::move(dispatches_); }

 private:
  Result<void> add_frames(const Result<Kernel>& kernel, const CtcChunk& chunk) {
    const std::uint64_t frames = kernel ? kernel->items : 1;
    return add(kernel, chunk, {chunk.row_count, (static_cast<std::uint64_t>(statement_.T) + frames - 1) / frames, 1},
               chunk.work);
  }

  /// The work of a step of `rows` rows. Each waits for the one before, so that few rows take as long as many.
  static std::uint64_t step_work(std::uint64_t rows, std::uint64_t directions, std::uint64_t L,
                                 std::uint64_t least = least_step) {
    return std::max(saturated_product(saturated_product(rows, directions), saturated_product(L, 16)), least);
  }

  Result<void> add_plain(const Result<Kernel>& kernel, const CtcChunk& chunk) {
    const auto T = static_cast<std::uint64_t>(statement_.T);
    return add(kernel, chunk, {chunk.row_count, 1, 1},
               saturated_product(T, step_work(chunk.row_count, 1, chunk.longest, least_device_step)));
  }

  /// Takes as many rows at a time as one dispatch may take with all their frames; if that is none, all rows and some
  /// frames.
  Result<void> add_recursion(const CtcChunk& chunk, std::uint32_t directions) {
    const auto T = static_cast<std::uint64_t>(statement_.T);
    const std::uint64_t steps_each = statement_.max_work / std::max<std::uint64_t>(T, 1);
    if (step_work(1, directions, chunk.longest) > steps_each && T > 1) return add_steps(chunk, directions);
    const std::uint64_t fitting = steps_each / step_work(1, directions, chunk.longest, 1);
    const auto rows = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fitting, 1, std::max(chunk.row_count, 1U)));
    const Result<Kernel> kernel = kernels_.recursion(chunk.longest);
    Result<void> result;
    for (std::uint32_t first = 0; result && first < chunk.row_count; first += rows) {
      const std::uint32_t count = std::min(rows, chunk.row_count - first);
      result = add(kernel, {chunk.first_row + first, count, chunk.longest, 0}, {count, directions, 1},
                   saturated_product(T, step_work(count, directions, chunk.longest)));
    }
    return result;
  }

  Result<void> add_steps(const CtcChunk& chunk, std::uint32_t directions) {
    const auto T = static_cast<std::uint64_t>(statement_.T);
    const std::uint64_t of_step = step_work(chunk.row_count, directions, chunk.longest, least_device_step);
    const std::uint64_t at_once = std::clamp<std::uint64_t>(statement_.max_work / of_step, 1, T);
    const Result<Kernel> kernel = kernels_.recursion_in_parts(chunk.longest);
    Result<void> result;
    for (std::uint64_t first = 0; result && first < T; first += at_once) {
      const std::uint64_t count = std::min(at_once, T - first);
      result = add(kernel, chunk, {chunk.row_count, directions, 1}, saturated_product(count, of_step));
      if (!result) return result;
      dispatches_.back().shape.first_step = static_cast<std::uint32_t>(first);
      dispatches_.back().shape.steps = static_cast<std::uint32_t>(count);
    }
    return result;
  }

  Result<void> add(Result<Kernel> kernel, const CtcChunk& chunk, Size groups, std::uint64_t work) {
    if (!kernel) return tl::unexpected(kernel.error());
    ctc::Shape shape{};
    shape.T = statement_.T;
    shape.B = statement_.B;
    shape.C = statement_.C;
    shape.first_row = chunk.first_row;
    shape.row_count = chunk.row_count;
    shape.zero_infinity = statement_.zero_infinity ? 1 : 0;
    shape.steps = static_cast<std::uint32_t>(statement_.T);
    dispatches_.push_back({std::move(*kernel), shape, groups, work});
    return {};
  }

  CtcKernels& kernels_;
  const CtcStatement& statement_;
  std::vector<CtcDispatch> dispatches_;
};

}  // namespace

Result<std::vector<CtcDispatch>> ctc_dispatches(CtcKernels& kernels, const CtcStatement& statement,
                                                std::span<const CtcChunk> chunks) {
  Dispatches dispatches(kernels, statement);
  for (const CtcChunk& chunk : chunks)
    if (const Result<void> added = dispatches.add_chunk(chunk); !added) return tl::unexpected(added.error());
  if (statement.is_reduced)
    if (const Result<void> added = dispatches.add_reduce(); !added) return tl::unexpected(added.error());
  return dispatches.take();
}

}  // namespace assay::metal::host
