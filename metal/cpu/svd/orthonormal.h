// Columns that are orthonormal but for errors E = Y^T Y - I far below 1, made so to the last digits.
#pragma once

#include "metal/cpu/blas.h"

namespace assay::metal::cpu {

/// Y (I - E / 2): all columns share the correction, as do those of a product of rotations the errors.
template <class T>
void polish(const DenseMatrix<T>& Y);

/// Y (I - T), T + T^T = E, T upper triangular: each column is corrected by those before it alone, which is what
/// Gram-Schmidt does, to first order; repeated until it suffices. For columns A v / sigma in the order of falling
/// sigma: the errors of a column of small sigma must not get into those before it. False where E is too large for that.
template <class T>
bool orthonormalize_in_order(const DenseMatrix<T>& Y);

}  // namespace assay::metal::cpu
