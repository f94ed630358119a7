// Applies a Householder reflection to columns side by side in lanes, and computes the norms of the rows left.
#pragma once

#include "metal/cpu/simd/masks.h"
#include "metal/cpu/svd/kernels.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// Applies it to `chunks` registers of columns that begin at `column`.
template <std::int64_t chunks, class T>
ASSAY_INLINE void reflect_chunks(const SvdRest<T>& rest, const T* v, T factor, T* squares, std::int64_t column) {
  constexpr std::int64_t n = width<T>;
  T* const top = rest.data + rest.first * rest.stride + column;
  const std::int64_t rows = rest.rows - rest.first;
  Wide<T> w[static_cast<std::size_t>(chunks)], square[static_cast<std::size_t>(chunks)];
  for (std::int64_t c = 0; c < chunks; ++c) w[c] = square[c] = all(T(0));
  for (std::int64_t first = 0; factor != T(0) && first < rows; first += 64) {  // sums of partial sums lose fewer digits
    Wide<T> part[static_cast<std::size_t>(chunks)];
    for (std::int64_t c = 0; c < chunks; ++c) part[c] = all(T(0));
    for (std::int64_t i = first; i < rows && i < first + 64; ++i) {
      const Wide<T> vi = all(v[i]);
      for (std::int64_t c = 0; c < chunks; ++c) part[c] = fused(vi, load_wide(top + i * rest.stride + c * n), part[c]);
    }
    for (std::int64_t c = 0; c < chunks; ++c) w[c] = w[c] + part[c];
  }
  for (std::int64_t c = 0; c < chunks; ++c) w[c] = w[c] * all(-factor);
  for (std::int64_t i = 0; i < rows; ++i) {
    const Wide<T> vi = all(factor != T(0) ? v[i] : T(0));
    for (std::int64_t c = 0; c < chunks; ++c) {
      T* const at = top + i * rest.stride + c * n;
      const Wide<T> x = fused(vi, w[c], load_wide(at));
      store_wide(at, x);
      if (i > 0) square[c] = fused(x, x, square[c]);
    }
  }
  for (std::int64_t c = 0; c < chunks; ++c) store_wide(squares + column + c * n, square[c]);
}

template <class T>
inline void reflect(const SvdRest<T>& rest, const T* v, T factor, T* squares) {
  constexpr std::int64_t n = width<T>;
  std::int64_t column = rest.first / n * n;
  for (; column + 4 * n <= rest.stride; column += 4 * n) reflect_chunks<4>(rest, v, factor, squares, column);
  for (; column < rest.stride; column += n) reflect_chunks<1>(rest, v, factor, squares, column);
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
