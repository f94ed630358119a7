// Routines of LAPACK, which comes with OpenBLAS.
#pragma once

#include <vector>

#include "metal/cpu/blas.h"

namespace assay::metal::cpu {

/// The decomposition U diag(S) V^T of an upper bidiagonal matrix [n, n] by divide and conquer (xBDSDC): overwrites
/// `diagonal` [n] by S and off_diagonal [n - 1] by anything, writes the columns of U to the rows of Ut, and V. Returns
/// false where it did not converge or an element is not finite.
template <class T>
bool bidiagonal_svd(std::vector<T>& diagonal, std::vector<T>& off_diagonal, const DenseMatrix<T>& Ut,
                    const DenseMatrix<T>& V);

/// Replaces the rows of Y [l, m], l <= m, by orthonormal rows that span them, of any rank, by xGEQRF and xORGQR. Writes
/// L [l, l], lower triangular, the product of which with these rows Y was, unless L is empty.
template <class T>
void orthonormalize_rows(const DenseMatrix<T>& Y, const DenseMatrix<T>& L = {});

}  // namespace assay::metal::cpu
