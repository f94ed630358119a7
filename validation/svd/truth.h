// The true results of a case: the any-precision reference, checked for certainty.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "reference/number/big_float.h"
#include "reference/svd/problem.h"
#include "validation/core/truth.h"
#include "validation/svd/case.h"

namespace assay::validation {

/// The truth of one matrix.
struct SvdMatrixTruth {
  reference::SvdFactors<reference::BigFloat> factors;
  /// sqrt(K) / sigma_min of the matrix with columns (of a wide matrix: rows) scaled to norm 1, the factor by which
  /// relative errors of singular values grow. Infinite if a column is 0.
  double scaled_condition = 0;
};

struct SvdTruth {
  std::vector<std::shared_ptr<const SvdMatrixTruth>> matrices;  ///< [B]; matrices that repeat may share theirs
};

/// The factors of each matrix. A certified reference encloses each singular value within 10^(10 - digits) of the
/// largest; otherwise computations with `digits` and `digits` + 20 digits agree within that. At up to 50 digits
/// matrices of more than 136 rows and columns are decomposed in long double instead, as large cases of other operations
/// are. Throws ReferenceDisagrees if they do not, std::invalid_argument for a bad case.
SvdTruth truth_of(const SvdCase& c, int digits);

/// Throws ReferenceDisagrees unless the singular values of matrix b are certain within that.
void require_certain(const SvdCase& c, std::int64_t b, const reference::SvdFactors<reference::BigFloat>& factors,
                     int digits);

}  // namespace assay::validation
