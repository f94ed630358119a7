#include "metal/host/ctc/workspace.h"

#include <span>

#include "metal/host/buffers.h"

namespace assay::metal::host {

Result<CtcWorkspace> ctc_workspace(Device& device, const CtcStatement& statement, const CtcRows& tables,
                                   const CtcSpace& space) {
  const bool is_plain = statement.path == CtcPath::plain;
  const std::uint64_t element = ctc_space_element(statement.path);
  const std::uint64_t emissions = is_plain ? statement.elements() : space.emissions;
  Allocation<CtcWorkspace> allocation(device, "ctc");
  allocation.copy(ctc::rows_index, "rows", std::as_bytes(std::span(tables.rows)));
  allocation.copy(ctc::slots_index, "slots", std::as_bytes(std::span(tables.slots)));
  allocation.copy(ctc::order_index, "order", std::as_bytes(std::span(tables.order)));
  allocation.copy(ctc::ends_index, "ends", std::as_bytes(std::span(tables.ends)));
  allocation.copy(ctc::classes_index, "classes", std::as_bytes(std::span(tables.classes)));
  allocation.reserve(ctc::emissions_index, "emissions", emissions * element);
  allocation.reserve(ctc::normalizers_index, "normalizers", statement.frames() * sizeof(float));
  allocation.reserve(ctc::alpha_index, "alpha", space.alpha * element);
  if (statement.with_gradient) allocation.reserve(ctc::beta_index, "beta", space.beta * element);
  if (statement.is_reduced) allocation.reserve(ctc::losses_index, "losses", tables.rows.size() * sizeof(float));
  return allocation.take();
}

}  // namespace assay::metal::host
