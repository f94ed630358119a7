// What is true of a case: the any-precision reference, and how certain it is.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/number/big_float.h"
#include "reference/svd/problem.h"
#include "validation/core/truth.h"
#include "validation/svd/case.h"

namespace assay::validation {

/// One matrix.
struct SvdMatrixTruth {
  reference::SvdFactors<reference::BigFloat> factors;
  /// sqrt(K) / sigma_min of the matrix, its columns (rows, of a wide one) scaled to norm 1: what relative errors of
  /// its singular values grow by. Infinite where a column is 0.
  double scaled_condition = 0;
};

struct SvdTruth {
  std::vector<SvdMatrixTruth> matrices;  ///< [B]
};

/// The factors of each matrix. Where the reference is certified, each singular value is enclosed within
/// 10^(10 - digits) of the largest; elsewhere `digits` and `digits` + 20 agree to that.
/// Throws ReferenceDisagrees where they are not, std::invalid_argument for a bad case.
SvdTruth truth_of(const SvdCase& c, int digits);

/// Throws ReferenceDisagrees unless the singular values of matrix b are as certain as that.
void require_certain(const SvdCase& c, std::int64_t b, const reference::SvdFactors<reference::BigFloat>& factors,
                     int digits);

}  // namespace assay::validation
