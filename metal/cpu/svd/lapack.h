// Routines of LAPACK, which comes with OpenBLAS.
#pragma once

#include "metal/cpu/blas.h"

namespace assay::metal::cpu {

/// Replaces the rows of Y [l, m], l <= m, by orthonormal rows that span them, of any rank, by xGEQRF and xORGQR. Writes
/// L [l, l], lower triangular, the product of which with these rows Y was, unless L is empty.
template <class T>
void orthonormalize_rows(const DenseMatrix<T>& Y, const DenseMatrix<T>& L = {});

}  // namespace assay::metal::cpu
