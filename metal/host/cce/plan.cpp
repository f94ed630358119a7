#include "metal/host/cce/plan.h"

#include <utility>

namespace assay::metal {

std::array<host::PlanBuffer<CceBuffers>, 8> CcePlan::buffers() const {
  const std::uint64_t element = statement_.element_size;
  const std::uint64_t row = statement_.shape.H % 4 == 0 ? 4 * element : element;  // kernels load four elements at once
  return {{{"hidden", &CceBuffers::hidden, hidden_bytes(), row, cce::hidden_index},
           {"weight", &CceBuffers::weight, weight_bytes(), row, cce::weight_index},
           {"bias", &CceBuffers::bias, bias_bytes(), element, cce::bias_index},
           {"loss", &CceBuffers::loss, loss_bytes(), sizeof(float), cce::loss_index},
           {"lse", &CceBuffers::lse, lse_bytes(), sizeof(cce::LogSum), cce::lse_index},
           {"dhidden", &CceBuffers::dhidden, dhidden_bytes(), row, cce::dhidden_index},
           {"dweight", &CceBuffers::dweight, dweight_bytes(), row, cce::dweight_index},
           {"dbias", &CceBuffers::dbias, dbias_bytes(), element, cce::dbias_index}}};
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
