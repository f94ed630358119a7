// R of A P = Q R, by Householder reflections (Golub and Van Loan 2013, section 5.4.2).
#pragma once

#include <cstdint>
#include <vector>

#include "metal/cpu/blas.h"
#include "metal/cpu/svd/kernels.h"

namespace assay::metal::cpu {

enum class Pivoting { none, columns };

/// Overwrites the upper triangle of A with R; what is below the diagonal then has no meaning. The stride of A is a
/// multiple of svd_lanes, and columns past `columns` are 0. permutation[j] is the column of A that is column j of A P.
/// With pivoting it stops where the squares of all elements left are 0. Returns the number of rows of R.
template <class T>
std::int64_t householder(const SvdKernels<T>& kernels, const DenseMatrix<T>& A, Pivoting pivoting,
                         std::vector<std::int64_t>& permutation);

}  // namespace assay::metal::cpu
