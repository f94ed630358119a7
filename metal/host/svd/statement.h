// All that the kernels get of a singular value decomposition, except the matrices: extents, which results are wanted,
// and by which kernels.
#pragma once

#include <cstdint>
#include <string>

#include "metal/device/result.h"
#include "metal/host/kernel_path.h"
#include "metal/host/work.h"
#include "metal/kernels/svd/interface.h"
#include "reference/svd/problem.h"

namespace assay::metal::host {

using SvdPath = KernelPath;

/// The kernels that rotate.
enum class SvdMethod {
  sweeps,  ///< one dispatch, a threadgroup per matrix
  blocks,  ///< a dispatch per step of the round robin of blocks
  pairs,   ///< a dispatch per step of the round robin of columns
};

struct SvdStatement {
  std::uint64_t B = 0;
  SvdPath path = SvdPath::production;
  SvdMethod method = SvdMethod::sweeps;
  std::uint32_t threads_per_pair = 8;  ///< of SvdMethod::sweeps
  bool shares_work = false;            ///< whether W is in threadgroup memory during sweeps
  bool shares_rotations = false;       ///< and V too
  std::string type;                    ///< of A, U and Vh: Metal's name
  std::uint64_t element_size = 0;      ///< its bytes
  bool with_vectors = true;
  std::uint32_t max_sweeps = 1;
  std::uint64_t max_work = default_max_work;
  std::uint32_t sweeps_at_once = 1;  ///< in a dispatch
  std::uint32_t ranks_at_once = 1;   ///< in a dispatch that finishes
  svd::Shape shape{};                ///< except sweep, sweeps, step and ranks

  std::uint64_t M() const { return shape.is_wide != 0 ? shape.columns : shape.rows; }
  std::uint64_t N() const { return shape.is_wide != 0 ? shape.rows : shape.columns; }
  /// Bytes of threadgroup memory for W and V.
  std::uint64_t shared_bytes() const;
  /// The dispatches in a sweep, and the threadgroups per matrix in each dispatch.
  std::uint32_t steps() const;
  std::uint32_t groups() const;
};

/// The work of a threadgroup that rotates: in a step, or in a sweep of SvdMethod::sweeps.
std::uint64_t svd_rotate_work(const SvdStatement& statement);

/// The work of a threadgroup that loads or stores a matrix, and of one that completes a column of U.
std::uint64_t svd_store_work(const SvdStatement& statement);
std::uint64_t svd_complete_work(const SvdStatement& statement);

/// With as many sweeps and ranks in a dispatch on `matrices` matrices as its work allows.
SvdStatement with_divided_work(SvdStatement statement, std::uint64_t matrices);

/// Errors: limit, for extents that the kernels cannot count.
Result<void> check_svd_extents(std::uint64_t M, std::uint64_t N);

/// The statement of a valid problem whose extents are not 0 and have passed check_svd_extents.
template <class Real>
SvdStatement svd_statement(const reference::SvdProblem<Real>& problem, bool with_vectors, SvdPath path,
                           std::uint32_t max_sweeps);

}  // namespace assay::metal::host
