// The singular value decomposition by reduction to bidiagonal form (Golub and Kahan 1965) and divide and conquer
// (divide.h), as xGESDD does it. Its errors are multiples of the largest singular value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "metal/cpu/blas.h"
#include "metal/cpu/svd/kernels.h"

namespace assay::metal::cpu {

/// From so many columns on it is faster than Jacobi's method.
template <class T>
inline constexpr std::int64_t min_bidiagonal_columns = sizeof(T) == 4 ? 80 : 56;

/// Where factors go: G = left diag(sigma) right^T; left [m, n], which may be G itself, sigma [n], right [n, n]. Where
/// left is empty: singular values only.
template <class T>
struct BidiagonalFactors {
  T* sigma = nullptr;
  DenseMatrix<T> left, right;
};

/// Decomposes G [m, n], m >= n, whose elements are scaled as svd_scale does. Returns false where divide and conquer did
/// not converge or an extent does not fit in LAPACK's integers; G is then as it was. The number of threads does not
/// change bits.
template <class T>
bool decompose_by_bidiagonal(const SvdKernels<T>& kernels, const DenseMatrix<T>& G, const BidiagonalFactors<T>& factors,
                             std::size_t threads = 1);

}  // namespace assay::metal::cpu
