// A = U diag(S) Vh, in numbers of any kind.
#pragma once

#include <vector>

#include "reference/matrix.h"

namespace assay::reference {

/// Thin factors of one matrix [M, N], K = min(M, N).
template <class Number>
struct SvdFactors {
  Matrix<Number> U;       ///< [M, K]
  std::vector<Number> S;  ///< [K], descending
  Matrix<Number> Vh;      ///< [K, N]
};

}  // namespace assay::reference
