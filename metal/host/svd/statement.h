// What of a singular value decomposition the kernels are told, but for the matrices: extents, which results are wanted,
// and by which kernels.
#pragma once

#include <cstdint>
#include <string>

#include "metal/device/result.h"
#include "metal/host/kernel_path.h"
#include "metal/kernels/svd/interface.h"
#include "reference/svd/problem.h"

namespace assay::metal::host {

using SvdPath = KernelPath;

/// Who rotates.
enum class SvdMethod {
  sweeps,  ///< one dispatch, a threadgroup per matrix
  blocks,  ///< a dispatch per step of the round robin of blocks
  pairs,   ///< a dispatch per step of the round robin of columns
};

struct SvdStatement {
  std::uint64_t B = 0;
  SvdPath path = SvdPath::production;
  SvdMethod method = SvdMethod::sweeps;
  std::uint32_t threads_per_pair = 32;  ///< of sweeps
  bool is_shared = false;               ///< W lies in threadgroup memory during sweeps
  std::string type;                     ///< of A, U and Vh, in Metal's words
  std::uint64_t element_size = 0;       ///< its bytes
  bool with_vectors = true;
  svd::Shape shape{};  ///< but for step

  std::uint64_t M() const { return shape.is_wide != 0 ? shape.columns : shape.rows; }
  std::uint64_t N() const { return shape.is_wide != 0 ? shape.rows : shape.columns; }
  /// Dispatches of a sweep, and threadgroups a matrix of each.
  std::uint32_t steps() const;
  std::uint32_t groups() const;
};

/// Errors: limit, for extents of which the kernels cannot count what has to be counted.
Result<void> check_svd_extents(std::uint64_t M, std::uint64_t N);

/// Of a valid problem whose extents have passed and are not 0.
template <class Real>
SvdStatement svd_statement(const reference::SvdProblem<Real>& problem, bool with_vectors, SvdPath path,
                           std::uint32_t max_sweeps);

}  // namespace assay::metal::host
