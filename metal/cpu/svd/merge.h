// A step of divide and conquer: the decomposition of a bidiagonal matrix from those of its two parts (divide.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "metal/cpu/svd/divide.h"

namespace assay::metal::cpu {

/// A matrix on the diagonal of a bidiagonal matrix: `rows` rows from `first` on, and `extra` = 0 or 1 columns more.
struct BidiagonalPart {
  std::int64_t first = 0, rows = 0, extra = 0;

  /// The rows of the upper one of its two parts.
  std::int64_t upper() const { return (rows - 1) / 2; }
};

/// The row between two parts.
template <class T>
struct RowBetween {
  T alpha, beta;
};

/// Overwrites the singular values and vectors of the two parts by those of the whole. Left vectors are in the rows of
/// Ut from `first` on; right vectors in those of Vt, and after them, of a matrix with an extra column, the vector that
/// it maps to 0. Of Ut, the row between is a unit vector. Returns false where a root of the secular equation was not
/// found.
template <class T>
bool merge_parts(const SvdKernels<T>& kernels, const BidiagonalPart& whole, const RowBetween<T>& between, T* values,
                 const DivideMemory<T>& memory, std::size_t threads);

}  // namespace assay::metal::cpu
