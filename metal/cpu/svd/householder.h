// A P = Q R by Householder reflections, of which R is kept (Golub and Van Loan 2013, section 5.4.2).
#pragma once

#include <cstdint>
#include <vector>

#include "metal/cpu/blas.h"
#include "metal/cpu/svd/kernels.h"

namespace assay::metal::cpu {

enum class Pivoting { none, columns };

/// Overwrites A, whose stride is a multiple of svd_lanes and whose columns past `columns` are 0, with R in its upper
/// triangle; below the diagonal it may hold anything. permutation[j]: the column of A that is column j of A P. With
/// pivoting it stops where all that is left is 0 to the precision of squares. Returns how many rows of R it has found.
template <class T>
std::int64_t householder(const SvdKernels<T>& kernels, const DenseMatrix<T>& A, Pivoting pivoting,
                         std::vector<std::int64_t>& permutation);

}  // namespace assay::metal::cpu
