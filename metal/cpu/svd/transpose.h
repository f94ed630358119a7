// Transposition, a square of whole cache lines at a time: the rows of both matrices can be a power of two apart, so that
// few of their lines fit in the cache together.
#pragma once

#include <algorithm>
#include <cstdint>

#include "metal/cpu/blas.h"
#include "metal/cpu/svd/kernels.h"

namespace assay::metal::cpu {

/// to[j, i] = change(row(i)[j], j).
template <class T, class Row, class Change>
void transpose(const Row& row, const DenseMatrix<T>& to, const Change& change) {
  constexpr std::int64_t lanes = svd_lanes<T>;
  for (std::int64_t j = 0; j < to.rows; j += lanes)
    for (std::int64_t i = 0; i < to.columns; i += lanes) {
      const std::int64_t rows = std::min(lanes, to.rows - j), columns = std::min(lanes, to.columns - i);
      T square[64 / sizeof(T)][64 / sizeof(T)];
      for (std::int64_t c = 0; c < columns; ++c)
        for (std::int64_t r = 0; r < rows; ++r) square[c][r] = row(i + c)[j + r];
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) to.row(j + r)[i + c] = change(square[c][r], j + r);
    }
}

template <class T, class Row>
void transpose(const Row& row, const DenseMatrix<T>& to) {
  transpose(row, to, [](T x, std::int64_t) { return x; });
}

}  // namespace assay::metal::cpu
