#include "metal/host/ctc/dispatch.h"

#include <utility>

namespace assay::metal::host {

namespace {

class Dispatches {
 public:
  Dispatches(CtcKernels& kernels, const CtcStatement& statement) : kernels_(kernels), statement_(statement) {}

  Result<void> add_chunk(const CtcChunk& chunk) {
    const bool has_frames = statement_.T != 0;
    const bool has_gradient = has_frames && statement_.with_gradient;
    const bool is_plain = statement_.path == CtcPath::plain;
    Result<void> result;
    if (has_frames) result = add_frames(kernels_.softmax(), chunk);
    if (result)
      result = add(kernels_.recursion(chunk.longest), chunk, {chunk.row_count, is_plain || !has_gradient ? 1U : 2U, 1});
    if (result && has_gradient && is_plain)
      result = add(kernels_.plain_beta(chunk.longest), chunk, {chunk.row_count, 1, 1});
    if (result && has_gradient) result = add_frames(kernels_.gradient(), chunk);
    return result;
  }

  Result<void> add_reduce() {
    return add(kernels_.reduce(), {0, static_cast<std::uint32_t>(statement_.B), 1}, {1, 1, 1});
  }

  std::vector<CtcDispatch> take() { return std::move(dispatches_); }

 private:
  Result<void> add_frames(const Result<CtcKernel>& kernel, const CtcChunk& chunk) {
    const std::uint64_t frames = kernel ? kernel->frames : 1;
    return add(kernel, chunk, {chunk.row_count, (static_cast<std::uint64_t>(statement_.T) + frames - 1) / frames, 1});
  }

  Result<void> add(Result<CtcKernel> kernel, const CtcChunk& chunk, Size groups) {
    if (!kernel) return tl::unexpected(kernel.error());
    ctc::Shape shape{};
    shape.T = statement_.T;
    shape.B = statement_.B;
    shape.C = statement_.C;
    shape.first_row = chunk.first_row;
    shape.row_count = chunk.row_count;
    shape.zero_infinity = statement_.zero_infinity ? 1 : 0;
    dispatches_.push_back({std::move(*kernel), shape, groups});
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
