#include "metal/host/cce/plan.h"

#include <span>

namespace assay::metal {

using host::bind_part;
using host::check_part;

Result<void> CcePlan::check(const CceBuffers& buffers) const {
  const std::uint64_t element = statement_.element_size;
  const std::uint64_t row = statement_.shape.H % 4 == 0 ? 4 * element : element;  // kernels load four elements at once
  if (auto fits = check_part("hidden", buffers.hidden, hidden_bytes(), row); !fits) return fits;
  if (auto fits = check_part("weight", buffers.weight, weight_bytes(), row); !fits) return fits;
  if (auto fits = check_part("bias", buffers.bias, bias_bytes(), element); !fits) return fits;
  if (auto fits = check_part("loss", buffers.loss, loss_bytes(), sizeof(float)); !fits) return fits;
  if (auto fits = check_part("lse", buffers.lse, lse_bytes(), sizeof(cce::LogSum)); !fits) return fits;
  if (auto fits = check_part("dhidden", buffers.dhidden, dhidden_bytes(), row); !fits) return fits;
  if (auto fits = check_part("dweight", buffers.dweight, dweight_bytes(), row); !fits) return fits;
  return check_part("dbias", buffers.dbias, dbias_bytes(), element);
}

/// Every kernel has the same buffer indices, so each buffer is bound once for all dispatches.
void CcePlan::bind(ComputeCommandEncoder& encoder, const CceBuffers& buffers) const {
  for (std::uint32_t index = 0; index < workspace_.size(); ++index)
    if (index != cce::shape_index) encoder.set_buffer(workspace_[index], 0, index);
  bind_part(encoder, buffers.hidden, hidden_bytes(), cce::hidden_index);
  bind_part(encoder, buffers.weight, weight_bytes(), cce::weight_index);
  bind_part(encoder, buffers.bias, bias_bytes(), cce::bias_index);
  bind_part(encoder, buffers.loss, loss_bytes(), cce::loss_index);
  bind_part(encoder, buffers.lse, lse_bytes(), cce::lse_index);
  bind_part(encoder, buffers.dhidden, dhidden_bytes(), cce::dhidden_index);
  bind_part(encoder, buffers.dweight, dweight_bytes(), cce::dweight_index);
  bind_part(encoder, buffers.dbias, dbias_bytes(), cce::dbias_index);
}

Result<void> CcePlan::encode(ComputeCommandEncoder& encoder, const CceBuffers& buffers) const {
  return encode(encoder, buffers, 0, dispatches_.size());
}

Result<void> CcePlan::encode(ComputeCommandEncoder& encoder, const CceBuffers& buffers, std::size_t first,
                             std::size_t count) const {
  if (Result<void> fits = check(buffers); !fits) return fits;
  if (count == 0) return {};
  bind(encoder, buffers);
  for (const host::CceDispatch& dispatch : std::span(dispatches_).subspan(first, count)) {
    encoder.memory_barrier();
    encoder.set_pipeline(dispatch.pipeline);
    encoder.set_bytes(std::as_bytes(std::span(&dispatch.shape, 1)), cce::shape_index);
    encoder.dispatch_threadgroups(dispatch.groups, {dispatch.threads, 1, 1});
  }
  return {};
}

}  // namespace assay::metal

namespace assay::metal::host {

/// Makes the pipelines before the buffers: a kernel that does not compile costs no memory.
Result<CcePlan> cce_plan(Device& device, Pipelines& pipelines, const CceStatement& statement, const CceTables& tables) {
  Result<std::vector<CceDispatch>> dispatches = cce_dispatches(pipelines, device.limits(), statement);
  if (!dispatches) return tl::unexpected(dispatches.error());
  if (dispatches->empty()) return CcePlan(statement, {}, {});
  Result<CceWorkspace> workspace = cce_workspace(device, statement, tables);
  if (!workspace) return tl::unexpected(workspace.error());
  return CcePlan(statement, std::move(*workspace), std::move(*dispatches));
}

}  // namespace assay::metal::host
