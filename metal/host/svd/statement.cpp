#include "metal/host/svd/statement.h"

#include <algorithm>
#include <bit>

#include "metal/host/failure.h"

namespace assay::metal::host {

namespace {

constexpr std::uint64_t max_rows = std::uint64_t{1} << 31, max_columns = std::uint64_t{1} << 20;
/// The most columns that one threadgroup holds, with 8 threads per pair.
constexpr std::uint32_t max_sweeps_columns = 256;

constexpr std::uint32_t rounded_up(std::uint32_t count, std::uint32_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// A pair of columns: three products and a rotation, of V too.
std::uint64_t pair_work(const svd::Shape& shape, bool with_vectors) {
  return 7 * std::uint64_t{shape.rows} + (with_vectors ? 4 : 0) * std::uint64_t{shape.columns};
}

std::uint64_t pairs_of(std::uint64_t columns) {
  return columns * (columns - 1) / 2;
}

/// The method that is fastest where each dispatch stays within what a command buffer may take. Rotations, and with them
/// the bits of S, depend on it, so that it depends neither on max_work nor on whether vectors are wanted.
SvdMethod method_of(SvdPath path, const svd::Shape& shape) {
  const std::uint64_t sweep = saturated_product(pairs_of(shape.columns), pair_work(shape, true));
  const bool is_bounded = work_of({1, 1, 1}, sweep) <= default_max_work;
  if (path == SvdPath::plain) return SvdMethod::pairs;
  if (shape.columns <= max_sweeps_columns && is_bounded) return SvdMethod::sweeps;
  return shape.columns > 2 * svd::block_width ? SvdMethod::blocks : SvdMethod::pairs;
}

/// At most 1024 threads for all pairs. Each pair's rotation is computed by all of its threads, so that few are cheaper
/// unless columns are long.
std::uint32_t threads_per_pair_of(const svd::Shape& shape) {
  return shape.rows > 128 && shape.columns <= 64 ? 32 : 8;
}

/// W if it fits, and V if both do.
void choose_shared(SvdStatement& statement) {
  const auto fits = [&] { return statement.shared_bytes() <= svd::shared_elements * sizeof(float); };
  statement.shares_work = true;
  statement.shares_work = fits();
  statement.shares_rotations = statement.shares_work && statement.with_vectors;
  statement.shares_rotations = statement.shares_rotations && fits();
}

/// The exponent to which the largest element is scaled. The square of the largest norm is at most rows * columns times
/// that of the largest element, and so stays below 2^126.
int top_of(std::uint64_t rows, std::uint64_t columns) {
  return (125 - static_cast<int>(std::bit_width(rows * columns - 1))) / 2;
}

}  // namespace

std::uint64_t SvdStatement::shared_bytes() const {
  std::uint64_t stride = 0;
  if (shares_work) stride += svd::shared_stride(shape.rows);
  if (shares_rotations) stride += svd::shared_stride(shape.columns);
  return shape.padded * stride * sizeof(float);
}

std::uint32_t SvdStatement::steps() const {
  if (method == SvdMethod::sweeps) return 1;
  return method == SvdMethod::blocks ? shape.padded / svd::block_width - 1 : shape.padded - 1;
}

std::uint32_t SvdStatement::groups() const {
  if (method == SvdMethod::sweeps) return 1;
  return method == SvdMethod::blocks ? shape.padded / svd::block_width / 2 : shape.padded / 2;
}

std::uint64_t svd_rotate_work(const SvdStatement& statement) {
  const std::uint64_t pair = pair_work(statement.shape, statement.with_vectors);
  constexpr std::uint64_t of_blocks = svd::block_width * (2 * svd::block_width - 1);
  if (statement.method == SvdMethod::pairs) return pair;
  if (statement.method == SvdMethod::blocks) return of_blocks * pair;
  return saturated_product(pairs_of(statement.shape.padded), pair);
}

std::uint64_t svd_store_work(const SvdStatement& statement) {
  const std::uint64_t rows = statement.shape.rows, columns = statement.shape.columns;
  return columns * (4 * rows + columns);
}

/// The furthest row, and two passes of projecting and subtracting, over all columns before.
std::uint64_t svd_complete_work(const SvdStatement& statement) {
  return statement.with_vectors ? 5 * std::uint64_t{statement.shape.rows} * statement.shape.columns : 0;
}

SvdStatement with_divided_work(SvdStatement statement, std::uint64_t matrices) {
  /// How many parts of so much work each fit beside `other` work.
  const auto fitting = [&](std::uint64_t part, std::uint64_t other, std::uint32_t all) {
    const std::uint64_t of_part = std::max<std::uint64_t>(work_of({matrices, 1, 1}, part), 1);
    const std::uint64_t left = statement.max_work - std::min(statement.max_work, work_of({matrices, 1, 1}, other));
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(left / of_part, 1, all));
  };
  if (statement.method == SvdMethod::sweeps)
    statement.sweeps_at_once = fitting(svd_rotate_work(statement), 0, statement.max_sweeps);
  statement.ranks_at_once = fitting(svd_complete_work(statement), svd_store_work(statement), statement.shape.columns);
  return statement;
}

Result<void> check_svd_extents(std::uint64_t M, std::uint64_t N) {
  if (Result<void> fits = check_extent("max(M, N)", std::max(M, N), max_rows); !fits) return fits;
  return check_extent("min(M, N)", std::min(M, N), max_columns);
}

template <class Real>
SvdStatement svd_statement(const reference::SvdProblem<Real>& problem, bool with_vectors, SvdPath path,
                           std::uint32_t max_sweeps) {
  SvdStatement statement;
  statement.B = static_cast<std::uint64_t>(problem.B);
  statement.path = path;
  statement.type = metal_type<Real>();
  statement.element_size = sizeof(Real);
  statement.with_vectors = with_vectors;
  svd::Shape& shape = statement.shape;
  shape.rows = static_cast<std::uint32_t>(std::max(problem.M, problem.N));
  shape.columns = static_cast<std::uint32_t>(problem.K());
  statement.method = method_of(path, shape);
  shape.padded = rounded_up(shape.columns, statement.method == SvdMethod::blocks ? 2 * svd::block_width : 2);
  shape.is_wide = problem.M < problem.N ? 1 : 0;
  shape.top = top_of(shape.rows, shape.columns);
  shape.groups = statement.groups();
  statement.max_sweeps = max_sweeps;
  statement.sweeps_at_once = statement.method == SvdMethod::sweeps ? max_sweeps : 1;
  statement.ranks_at_once = std::max(shape.columns, 1U);
  statement.threads_per_pair = threads_per_pair_of(shape);
  if (statement.method == SvdMethod::sweeps) choose_shared(statement);
  return statement;
}

template SvdStatement svd_statement(const reference::SvdProblem<float>&, bool, SvdPath, std::uint32_t);
template SvdStatement svd_statement(const reference::SvdProblem<Half>&, bool, SvdPath, std::uint32_t);
template SvdStatement svd_statement(const reference::SvdProblem<BFloat16>&, bool, SvdPath, std::uint32_t);

}  // namespace assay::metal::host
