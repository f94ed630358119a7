// The orthogonal matrix of a reduction to tridiagonal or bidiagonal form, as a product of blocks of Householder
// reflections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metal/cpu/blas.h"

namespace assay::metal::cpu {

/// Reflections H_j = I - factors[j] v_j v_j^T, where v_j is 1 at j + offset and 0 before, as xSYTRD and xGEBRD leave
/// them: row j of `vectors` holds the elements after the 1. A factor of 0 makes H_j the identity.
template <class T>
struct Reflections {
  DenseMatrix<T> vectors;
  const std::vector<T>& factors;
  std::int64_t offset = 0;
};

/// Z = H_0 H_1 ... Z [m, n], on at most so many threads.
template <class T>
void apply_reflections(const Reflections<T>& reflections, const DenseMatrix<T>& Z, std::size_t threads = 1);

}  // namespace assay::metal::cpu
