// Bounds on the rounding errors of a gradient by the formula of metal/cpu/svd/gradient.h, for the same factors.
#pragma once

#include <vector>

#include "metal/cpu/svd/gradient.h"

namespace assay::validation {

/// Bounds on the elements of dL/dA [M, N] of one matrix, computed in double: gamma of the operations that a term passes
/// through, times the sum of the sizes of all terms,
///
///   |U| (diag|dS| + X) |Vh| + (|dU| + |U| |P|) diag(1/S) |Vh| + |U| diag(1/S) (|dVh| + |Q|^T |Vh|)
///   X_ij = (|P_ij| + |P_ji| + |Q_ij| + |Q_ji|) (1 / |s_j - s_i| + 1 / (s_j + s_i)) / 2
///   |P| = |U|^T |dU|,   |Q| = |Vh| |dVh|^T
///
/// where a quotient by 0 counts as 0.
std::vector<double> gradient_bounds(const metal::SvdCotangent<double>& cotangent);

}  // namespace assay::validation
