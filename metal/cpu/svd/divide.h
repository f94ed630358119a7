// The singular value decomposition of a bidiagonal matrix by divide and conquer (Gu and Eisenstat, SIAM J. Matrix Anal.
// Appl. 16, 1995), as LAPACK's xBDSDC does it. Errors are some units of roundoff of the largest singular value.
//
// A matrix [n, n + extra], which may have a column more than rows, is two such matrices and a row between them:
//
//   B_1          n_1 rows, n_1 + 1 columns
//   alpha beta   the row between, in the last column of B_1 and the first of B_2
//        B_2     n_2 rows, n_2 + extra columns
//
// Matrices of at most svd_lanes rows are decomposed side by side by Jacobi's method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metal/cpu/blas.h"
#include "metal/cpu/svd/kernels.h"

namespace assay::metal::cpu {

/// Matrices [n, n] with rows of n elements. A part of B has the same place on the diagonal of each.
template <class T>
struct DivideMemory {
  DenseMatrix<T> Ut, Vt;           ///< the vectors in rows
  DenseMatrix<T> vectors, before;  ///< of the secular equation; rows of Ut or Vt before they are multiplied by these
};

/// B = U diag(S) V^T, B upper bidiagonal: overwrites its `diagonal` [n] by the singular values, and writes the vectors.
/// order[r] is where the singular value r, in falling order, and its vectors are. Returns false where an element is not
/// finite or a root was not found. The number of threads does not change bits.
template <class T>
bool bidiagonal_svd(const SvdKernels<T>& kernels, std::vector<T>& diagonal, const std::vector<T>& off_diagonal,
                    const DivideMemory<T>& memory, std::vector<std::int64_t>& order, std::size_t threads);

}  // namespace assay::metal::cpu
