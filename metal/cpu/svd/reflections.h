// The orthogonal matrix of a reduction to tridiagonal form, as a product of blocks of Householder reflections.
#pragma once

#include <vector>

#include "metal/cpu/blas.h"

namespace assay::metal::cpu {

/// Z = Q Z [n, n], Q = H_0 H_1 ... H_(n - 2), H_j = I - factors[j] v_j v_j^T as SvdKernels::tridiagonalize leaves them:
/// row j of A holds v_j from column j + 2 on, v_j is 1 at j + 1 and 0 before. A factor of 0 makes H_j the identity.
void apply_reflections(const DenseMatrix<double>& A, const std::vector<double>& factors, const DenseMatrix<double>& Z);

}  // namespace assay::metal::cpu
