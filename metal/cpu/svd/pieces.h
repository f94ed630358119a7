// Products of large matrices, in pieces of columns that threads share. Pieces do not depend on the number of threads,
// and so neither do bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "metal/cpu/blas.h"
#include "metal/cpu/parallel.h"
#include "metal/cpu/svd/kernels.h"

namespace assay::metal::cpu {

/// Calls work(worker, first, count) for ranges of at most `at_once` of the numbers below `all`, worker < threads.
template <class Work>
void for_ranges(std::size_t threads, std::int64_t all, std::int64_t at_once, const Work& work) {
  const auto ranges = static_cast<std::size_t>((all + at_once - 1) / at_once);
  for_each_piece(ranges, std::min(threads, std::max<std::size_t>(ranges, 1)), [&](std::size_t worker, std::size_t i) {
    const std::int64_t first = static_cast<std::int64_t>(i) * at_once;
    work(worker, first, std::min(at_once, all - first));
  });
}

/// Calls work(first, count) for svd_pieces(columns) ranges of columns, in whole registers.
template <class Work>
void for_column_pieces(std::size_t threads, std::int64_t columns, const Work& work) {
  const std::int64_t pieces = svd_pieces(columns);
  for_ranges(threads, columns, whole_registers<float>((columns + pieces - 1) / pieces),
             [&](std::size_t, std::int64_t first, std::int64_t count) { work(first, count); });
}

/// C = alpha op(A) B + beta C.
template <class T>
void multiply_in_pieces(std::size_t threads, T alpha, Transpose of_a, const DenseMatrix<T>& a, const DenseMatrix<T>& b,
                        T beta, const DenseMatrix<T>& c) {
  for_column_pieces(threads, c.columns, [&](std::int64_t first, std::int64_t count) {
    multiply(alpha, of_a, a, Transpose::no, {b.data + first, b.rows, count, b.stride}, beta,
             {c.data + first, c.rows, count, c.stride});
  });
}

}  // namespace assay::metal::cpu
