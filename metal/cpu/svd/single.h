// The decomposition of one matrix at a time, G [m, n] with m >= n: A, or A^T where it has fewer rows than columns.
//
//   preconditioned   G P = Q R by Householder reflections with pivoting of columns, then one-sided Jacobi on R^T, whose
//                    columns are closer to orthogonal (Drmac and Veselic, SIAM J. Matrix Anal. 29, 2008): R^T W = V' S,
//                    right = P V', left = G right S^-1, orthonormalized in the order of falling singular values
//   direct           one-sided Jacobi on G, the rotations applied to the identity too: G W = left S, right = W. For a
//                    matrix so ill-conditioned that G right S^-1 would be useless for the left vectors of small
//                    singular values
//   gram             the eigenvalues of G^T G in double, where they are accurate enough (gram.h)
//   bidiagonal       reduction to bidiagonal form and divide and conquer, for large matrices whose columns are of about
//                    one norm: its errors are multiples of the largest singular value, which is accurate enough for
//                    such columns (bidiagonal.h)
#pragma once

#include <cstddef>
#include <cstdint>

#include "metal/cpu/svd/kernels.h"
#include "metal/cpu/svd/tuning.h"

namespace assay::metal::cpu {

/// One matrix [M, N], row-major, and where its factors go. Where U and Vh are null: singular values only.
template <class T>
struct SvdMatrix {
  const T* A = nullptr;
  std::int64_t M = 0, N = 0;
  T* U = nullptr;
  T* S = nullptr;
  T* Vh = nullptr;
};

enum class SvdEnd { done, not_finite, not_converged };

/// On at most so many threads; their number does not change bits.
template <class T>
SvdEnd decompose(const SvdMatrix<T>& matrix, const SvdTuning& tuning, std::size_t threads);

}  // namespace assay::metal::cpu
