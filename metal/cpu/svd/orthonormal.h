// Makes nearly orthonormal columns, with errors E = Y^T Y - I far below 1, orthonormal to working precision.
#pragma once

#include "metal/cpu/blas.h"

namespace assay::metal::cpu {

/// Y (I - E / 2): all columns share the correction, as the columns of a product of rotations share the errors.
template <class T>
void polish(const DenseMatrix<T>& Y);

/// Y (I - T), T + T^T = E, T upper triangular: each column is corrected only by those before it, which is Gram-Schmidt
/// to first order, repeated until it suffices. For columns A v / sigma in the order of falling sigma, where the errors
/// of a column of small sigma must not reach those before it. Returns false where E is too large.
template <class T>
bool orthonormalize_in_order(const DenseMatrix<T>& Y);

}  // namespace assay::metal::cpu
