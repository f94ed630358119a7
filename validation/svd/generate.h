// Generates matrices on which SVD kernels are known to break.
//
// Extents first: one row, one column, odd and even, tall and wide, around 8, 16 and 32. Then values: zeros, few bits,
// Gaussian, graded columns in any order, rank deficient in several ways, orthogonal and nearly so (equal singular
// values), Hilbert, triangular; then a scale, from subnormal to the largest numbers of the type.
#pragma once

#include "validation/core/random.h"
#include "validation/svd/case.h"

namespace assay::validation {

/// What a property needs of its cases: shares of the cases unless stated otherwise.
struct SvdProfile {
  double deficient = 0.25;   ///< of less than full rank
  double graded = 0.2;       ///< of the full-rank cases, with columns (rows of wide matrices) of very different norms
  double equal = 0.15;       ///< of the remaining cases, with equal or nearly equal singular values
  double scaled = 0.3;       ///< far from 1 in size
  double half_types = 0.25;  ///< in float16 or bfloat16
  double doubles = 0.2;      ///< of the remaining cases, in float64
  double large = 0.06;       ///< of 15 to 33 columns
  std::int64_t min_extent = 1;
  std::int64_t max_batch = 4;
};

}  // namespace assay::validation
