#include "metal/host/ctc/plan.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "metal/host/failure.h"

namespace assay::metal {

std::array<host::PlanBuffer<CtcBuffers>, 3> CtcPlan::buffers() const {
  const std::uint64_t element = statement_.element_size;
  const std::uint32_t loss_index = statement_.is_reduced ? ctc::result_index : ctc::losses_index;
  return {{{"activations", &CtcBuffers::activations, activation_bytes(), element, ctc::activations_index},
           {"gradient", &CtcBuffers::gradient, gradient_bytes(), element, ctc::gradient_index},
           {"loss", &CtcBuffers::loss, loss_bytes(), sizeof(float), loss_index}}};
}

ctc::Shape CtcPlan::shape_of(const host::CtcDispatch& dispatch, const CtcBuffers& buffers) const {
  ctc::Shape shape = dispatch.shape;
  shape.is_aligned = host::are_rows_aligned(static_cast<std::uint64_t>(statement_.C), statement_.element_size,
                                            {buffers.activations, buffers.gradient})
                         ? 1
                         : 0;
  return shape;
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
