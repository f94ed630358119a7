// LAPACK's divide and conquer, which comes with OpenBLAS.
#pragma once

#include <vector>

#include "metal/cpu/blas.h"

namespace assay::metal::cpu {

/// From so many columns on it is clearly faster than Jacobi's method.
inline constexpr std::int64_t min_lapack_columns = 384;

/// A = U diag(S) Vh, thin: A [m, n], U [m, n], S [n], Vh [n, n], m >= n. Returns false where it did not converge or an
/// extent does not fit in its integers.
template <class T>
bool gesdd(const DenseMatrix<T>& A, const DenseMatrix<T>& U, T* S, const DenseMatrix<T>& Vh);

/// The singular values of an upper bidiagonal matrix, in falling order, each accurate relative to itself (xLASQ1).
/// Overwrites `diagonal` [n] with them, and off_diagonal [n]. Returns false where they did not converge.
bool bidiagonal_values(std::vector<double>& diagonal, std::vector<double>& off_diagonal);

/// Replaces the rows of Y [l, m], l <= m, by orthonormal rows that span them, of any rank, by xGEQRF and xORGQR.
template <class T>
void orthonormalize_rows(const DenseMatrix<T>& Y);

}  // namespace assay::metal::cpu
