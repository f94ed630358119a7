// LAPACK's divide and conquer, which comes with OpenBLAS.
#pragma once

#include "metal/cpu/blas.h"

namespace assay::metal::cpu {

/// From how many columns on it is faster than Jacobi's method by more than can be left unused.
inline constexpr std::int64_t least_lapack_columns = 384;

/// A = U diag(S) Vh, thin: A [m, n], U [m, n], S [n], Vh [n, n], m >= n. False where it
/// has not converged or an extent does not fit in its integers.
template <class T>
bool gesdd(const DenseMatrix<T>& A, const DenseMatrix<T>& U, T* S, const DenseMatrix<T>& Vh);

/// The rows of Y [l, m], l <= m, become orthonormal ones that span theirs, by xGEQRF and xORGQR, whatever their rank.
template <class T>
void orthonormalize_rows(const DenseMatrix<T>& Y);

}  // namespace assay::metal::cpu
