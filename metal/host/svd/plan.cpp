#include "metal/host/svd/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::metal {

using host::bind_part;
using host::check_part;

namespace {

void encode_dispatch(ComputeCommandEncoder& encoder, const host::SvdDispatch& dispatch) {
  encoder.memory_barrier();
  encoder.set_pipeline(dispatch.kernel->pipeline);
  encoder.set_bytes(std::as_bytes(std::span(&dispatch.shape, 1)), svd::shape_index);
  encoder.set_threadgroup_memory_length(dispatch.kernel->threadgroup_length, 0);
  encoder.dispatch_threadgroups(dispatch.groups, {dispatch.kernel->threads, 1, 1});
}

}  // namespace

Result<void> SvdPlan::check(const SvdBuffers& buffers) const {
  const std::uint64_t element = statement_.element_size;
  if (auto fits = check_part("matrices", buffers.matrices, matrix_bytes(), element); !fits) return fits;
  if (auto fits = check_part("U", buffers.U, left_bytes(), element); !fits) return fits;
  if (auto fits = check_part("S", buffers.S, values_bytes(), sizeof(float)); !fits) return fits;
  if (auto fits = check_part("Vh", buffers.Vh, right_bytes(), element); !fits) return fits;
  return check_part("status", buffers.status, status_bytes(), sizeof(std::uint32_t));
}

/// Every kernel has the same buffer indices. `first`: the first matrix of a chunk.
void SvdPlan::bind(ComputeCommandEncoder& encoder, const SvdBuffers& buffers, std::uint64_t first) const {
  for (std::uint32_t index = 0; index < workspace_.size(); ++index)
    if (index != svd::shape_index) encoder.set_buffer(workspace_[index], 0, index);
  const host::SvdLengths lengths = host::svd_lengths(statement_);
  bind_part(encoder, buffers.matrices, matrix_bytes(), svd::matrices_index, first * lengths.matrix);
  bind_part(encoder, buffers.U, left_bytes(), svd::left_index, first * lengths.left);
  bind_part(encoder, buffers.S, values_bytes(), svd::values_index, first * lengths.columns);
  bind_part(encoder, buffers.Vh, right_bytes(), svd::right_index, first * lengths.right);
  bind_part(encoder, buffers.status, status_bytes(), svd::status_index, first * sizeof(std::uint32_t));
}

Result<void> SvdPlan::encode(ComputeCommandEncoder& encoder, const SvdBuffers& buffers) const {
  return encode(encoder, buffers, 0, dispatch_count());
}

Result<void> SvdPlan::encode(ComputeCommandEncoder& encoder, const SvdBuffers& buffers, std::size_t first,
                             std::size_t count) const {
  if (Result<void> fits = check(buffers); !fits) return fits;
  for (std::size_t n = first; n < first + count; ++n) {
    if (n == first || n % dispatches_.count() == 0) bind(encoder, buffers, n / dispatches_.count() * chunk_);
    encode_dispatch(encoder, dispatch(n));
  }
  if (count != 0) encoder.set_threadgroup_memory_length(0, 0);
  return {};
}

std::vector<host::CommandRange> SvdPlan::command_ranges(std::size_t first, std::size_t count) const {
  return host::command_ranges(first, count, statement_.max_work, [&](std::size_t n) { return dispatch(n).work; });
}

host::SvdDispatch SvdPlan::dispatch(std::size_t n) const {
  const std::uint64_t begin = n / dispatches_.count() * chunk_;
  return dispatches_.at(n % dispatches_.count(), statement_, kernels_, std::min(chunk_, statement_.B - begin));
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
