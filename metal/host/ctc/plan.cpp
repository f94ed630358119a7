#include "metal/host/ctc/plan.h"

#include <fmt/format.h>

#include <limits>
#include <span>
#include <utility>

#include "metal/host/failure.h"

namespace assay::metal {

using host::bind_part;
using host::check_part;

Result<void> CtcPlan::check(const CtcBuffers& buffers) const {
  const std::uint64_t element = statement_.element_size;
  if (auto fits = check_part("activations", buffers.activations, activation_bytes(), element); !fits) return fits;
  if (auto fits = check_part("gradient", buffers.gradient, gradient_bytes(), element); !fits) return fits;
  return check_part("loss", buffers.loss, loss_bytes(), sizeof(float));
}

/// Every kernel has the same buffer indices, so each buffer is bound once for all dispatches.
void CtcPlan::bind(ComputeCommandEncoder& encoder, const CtcBuffers& buffers) const {
  for (std::uint32_t index = 0; index < workspace_.size(); ++index)
    if (index != ctc::shape_index) encoder.set_buffer(workspace_[index], 0, index);
  bind_part(encoder, buffers.activations, activation_bytes(), ctc::activations_index);
  bind_part(encoder, buffers.gradient, gradient_bytes(), ctc::gradient_index);
  const bool is_reduced = statement_.is_reduced;
  bind_part(encoder, buffers.loss, loss_bytes(), is_reduced ? ctc::result_index : ctc::losses_index);
}

Result<void> CtcPlan::encode(ComputeCommandEncoder& encoder, const CtcBuffers& buffers) const {
  return encode(encoder, buffers, 0, dispatches_.size());
}

Result<void> CtcPlan::encode(ComputeCommandEncoder& encoder, const CtcBuffers& buffers, std::size_t first,
                             std::size_t count) const {
  if (Result<void> fits = check(buffers); !fits) return fits;
  if (count == 0) return {};
  bind(encoder, buffers);
  const bool is_aligned = host::are_rows_aligned(static_cast<std::uint64_t>(statement_.C), statement_.element_size,
                                                 {buffers.activations, buffers.gradient});
  std::uint64_t threadgroup_length = 0;
  for (const host::CtcDispatch& dispatch : std::span(dispatches_).subspan(first, count)) {
    const host::CtcKernel& kernel = dispatch.kernel;
    encoder.memory_barrier();
    encoder.set_pipeline(kernel.pipeline);
    ctc::Shape shape = dispatch.shape;
    shape.is_aligned = is_aligned ? 1 : 0;
    encoder.set_bytes(std::as_bytes(std::span(&shape, 1)), ctc::shape_index);
    if (kernel.threadgroup_length != threadgroup_length)
      encoder.set_threadgroup_memory_length(kernel.threadgroup_length, 0);
    threadgroup_length = kernel.threadgroup_length;
    encoder.dispatch_threadgroups(dispatch.groups, {kernel.threads, 1, 1});
  }
  if (threadgroup_length != 0) encoder.set_threadgroup_memory_length(0, 0);
  return {};
}

}  // namespace assay::metal

namespace assay::metal::host {

/// Makes the pipelines before the buffers: a kernel that does not compile costs no memory.
Result<CtcPlan> ctc_plan(Device& device, Pipelines& pipelines, const CtcStatement& statement, CtcRows rows,
                         const CtcRoom& room) {
  constexpr std::uint64_t max_elements = std::numeric_limits<std::uint64_t>::max() / 8;  // of up to 8 bytes each
  if (const Result<void> fits = check_extent("T * B * C", statement.elements(), max_elements); !fits)
    return tl::unexpected(fits.error());
  CtcKernels kernels(pipelines, device.limits(), statement);
  const Result<CtcChunks> chunks = ctc_chunks(rows.rows, statement, room);
  if (!chunks) return tl::unexpected(chunks.error());
  Result<std::vector<CtcDispatch>> dispatches = ctc_dispatches(kernels, statement, chunks->chunks);
  if (!dispatches) return tl::unexpected(dispatches.error());
  if (dispatches->empty()) return CtcPlan(statement, {}, {});
  Result<CtcWorkspace> workspace = ctc_workspace(device, statement, rows, chunks->space);
  if (!workspace) return tl::unexpected(workspace.error());
  return CtcPlan(statement, std::move(*workspace), std::move(*dispatches));
}

}  // namespace assay::metal::host
