#include "metal/host/svd/workspace.h"

#include <algorithm>
#include <limits>

#include "metal/host/buffers.h"

namespace assay::metal::host {

namespace {

constexpr std::uint64_t word = sizeof(float);

}  // namespace

SvdLengths svd_lengths(const SvdStatement& s) {
  return {.matrix = s.M() * s.N() * s.element_size,
          .work = word * s.shape.padded * s.shape.rows,
          .rotations = s.with_vectors ? word * s.shape.padded * s.shape.columns : 0,
          .columns = word * s.shape.columns,
          .rotated = s.method == SvdMethod::sweeps ? 0 : word * s.groups(),
          .left = s.with_vectors ? s.M() * s.shape.columns * s.element_size : 0,
          .right = s.with_vectors ? s.shape.columns * s.N() * s.element_size : 0};
}

SvdMatrixBytes svd_matrix_bytes(const SvdStatement& statement) {
  const SvdLengths lengths = svd_lengths(statement);
  const std::uint64_t columns = 4 * lengths.columns;  // norms, order, projections, values; 2 words: exponent, status
  return {lengths.matrix + lengths.work + lengths.rotations + columns + 2 * word + lengths.rotated + lengths.left +
              lengths.right,
          std::max(lengths.work, lengths.rotations)};
}

std::uint64_t svd_chunk(const Limits& limits, const SvdStatement& statement, std::uint64_t workspace_bytes) {
  constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();
  const auto limit = [](std::uint64_t bytes) { return bytes != 0 ? bytes : unbounded; };
  const std::uint64_t room =
      workspace_bytes != 0 ? workspace_bytes : limit(limits.recommended_max_working_set_size / 4);
  const SvdMatrixBytes bytes = svd_matrix_bytes(statement);
  const std::uint64_t groups = statement.groups();
  const std::uint64_t workable = statement.max_work / saturated_product(groups, svd_rotate_work(statement));
  const std::uint64_t fitting = std::min({room / bytes.all, limit(limits.max_buffer_length) / bytes.largest, workable});
  return std::clamp<std::uint64_t>(fitting, 1, statement.B);
}

Result<SvdWorkspace> svd_workspace(Device& device, const SvdStatement& statement, std::uint64_t count) {
  const SvdLengths lengths = svd_lengths(statement);
  Allocation<SvdWorkspace> allocation(device, "svd");
  allocation.reserve(svd::work_index, "work", count * lengths.work);
  allocation.reserve(svd::rotations_index, "rotations", count * lengths.rotations);
  allocation.reserve(svd::exponents_index, "exponents", count * word);
  allocation.reserve(svd::norms_index, "norms", count * lengths.columns);
  allocation.reserve(svd::order_index, "order", count * lengths.columns);
  allocation.reserve(svd::projections_index, "projections", count * lengths.columns);
  if (lengths.rotated != 0) allocation.reserve(svd::rotated_index, "rotated", count * lengths.rotated);
  return allocation.take();
}

}  // namespace assay::metal::host
