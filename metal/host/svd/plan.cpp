#include "metal/host/svd/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::metal {

std::array<host::PlanBuffer<SvdBuffers>, 5> SvdPlan::buffers() const {
  const std::uint64_t element = statement_.element_size;
  const host::SvdLengths of = host::svd_lengths(statement_);
  return {{{"matrices", &SvdBuffers::matrices, matrix_bytes(), element, svd::matrices_index, of.matrix},
           {"U", &SvdBuffers::U, left_bytes(), element, svd::left_index, of.left},
           {"S", &SvdBuffers::S, values_bytes(), sizeof(float), svd::values_index, of.columns},
           {"Vh", &SvdBuffers::Vh, right_bytes(), element, svd::right_index, of.right},
           {"status", &SvdBuffers::status, status_bytes(), sizeof(std::uint32_t), svd::status_index,
            sizeof(std::uint32_t)}}};
}

host::SvdDispatch SvdPlan::dispatch(std::size_t n) const {
  return dispatches_.at(n % dispatches_.count(), statement_, kernels_, std::min(chunk_, statement_.B - member_of(n)));
}

Result<void> SvdPlan::check_status(std::span<const std::uint32_t> status, std::uint64_t first) const {
  if (status.size() != statement_.B)
    return error(Error::Kind::argument,
                 fmt::format("status.size() = {}: expected B = {}", status.size(), statement_.B));
  const auto found = std::ranges::find(status, static_cast<std::uint32_t>(svd::not_converged));
  if (found == status.end()) return {};
  return error(Error::Kind::execution,
               fmt::format("A[b={}]: columns not orthogonal after {} sweeps",
                           first + static_cast<std::uint64_t>(found - status.begin()), statement_.max_sweeps));
}

}  // namespace assay::metal

namespace assay::metal::host {

Result<SvdPlan> svd_plan(Device& device, const SvdStatement& statement, const SvdKernels& kernels,
                         std::uint64_t chunk) {
  if (statement.B == 0) return SvdPlan(statement, {}, {}, 1);
  Result<SvdWorkspace> workspace = svd_workspace(device, statement, chunk);
  if (!workspace) return tl::unexpected(workspace.error());
  return SvdPlan(statement, kernels, std::move(*workspace), chunk);
}

}  // namespace assay::metal::host
