// Householder's reduction of a symmetric matrix to tridiagonal form (Golub and Van Loan 2013, section 8.3.1).
//
//   A <- H A H = A - v w^T - w v^T,   H = I - tau v v^T,   w = p - (tau p.v / 2) v,   p = tau A v
//
// One pass over the matrix applies the last reflection and multiplies by the next v, which follows from one column. The
// pass goes over the triangle below the diagonal, each element of which stands for two: panels of `panel_rows` rows,
// and columns in whole registers; the square on the diagonal is stored whole, and taken once.
#pragma once

#include "metal/cpu/svd/kernels.h"
#include "metal/cpu/svd/simd/householder.h"

namespace assay::metal::cpu::ASSAY_SIMD {

inline constexpr std::int64_t panel_rows = 4;

/// The data that a pass reads and writes: vectors [stride], 0 where rows and columns are done.
template <class T>
struct SymmetricPass {
  const T *v, *w;  ///< the last reflection
  const T* next;   ///< the next v
  T* p;            ///< [svd_max_pieces, stride]: the first row is set to A next
};

template <class T>
struct PanelFactors {
  Wide<T> v[panel_rows], w[panel_rows], next[panel_rows], sum[panel_rows];
};

template <bool twice, class T>
ASSAY_INLINE void reduce_columns(T* rows, std::int64_t stride, std::int64_t column, const SymmetricPass<T>& by,
                                 PanelFactors<T>& of) {
  const Wide<T> v = load_wide(by.v + column), w = load_wide(by.w + column), next = load_wide(by.next + column);
  Wide<T> p = all(T(0));
  for (std::int64_t r = 0; r < panel_rows; ++r) {
    T* const at = rows + r * stride + column;
    const Wide<T> a = fused_negative(of.v[r], w, fused_negative(of.w[r], v, load_wide(at)));
    store_wide(at, a);
    of.sum[r] = fused(a, next, of.sum[r]);
    if constexpr (twice) p = fused(a, of.next[r], p);
  }
  if constexpr (twice) store_wide(by.p + column, load_wide(by.p + column) + p);
}

template <class T>
ASSAY_INLINE void reduce_panel(T* A, std::int64_t stride, std::int64_t row, std::int64_t first,
                               const SymmetricPass<T>& by) {
  constexpr std::int64_t w = width<T>;
  PanelFactors<T> of;
  for (std::int64_t r = 0; r < panel_rows; ++r) {
    of.v[r] = all(by.v[row + r]);
    of.w[r] = all(by.w[row + r]);
    of.next[r] = all(by.next[row + r]);
    of.sum[r] = all(T(0));
  }
  const std::int64_t diagonal = row / w * w;
  T* const rows = A + row * stride;
  for (std::int64_t column = first; column < diagonal; column += w) reduce_columns<true>(rows, stride, column, by, of);
  reduce_columns<false>(rows, stride, diagonal, by, of);
  T sums[width<T>];
  store_wide(sums, sums_over_lanes(of.sum));
  for (std::int64_t r = 0; r < panel_rows; ++r) by.p[row + r] += sums[r];
}

/// The rows from `row` on: in pieces of about as many elements, each with sums of its own.
template <class T>
inline void reduce_rows(const SvdSymmetric<T>& of, std::int64_t row, const SymmetricPass<T>& by) {
  constexpr std::int64_t w = width<T>;
  const std::int64_t stride = of.stride, begin = row / panel_rows * panel_rows, column = row / w * w;
  const std::int64_t pieces = svd_pieces(of.n - row);
  const auto edge = [&](std::int64_t piece) ASSAY_INLINE_LAMBDA {
    const auto left = static_cast<double>(of.n - begin);
    const double rows = left * __builtin_sqrt(static_cast<double>(piece) / static_cast<double>(pieces));
    return begin + static_cast<std::int64_t>(rows) / panel_rows * panel_rows;
  };
  in_pieces(of.threads, pieces, [&](std::int64_t piece) {
    SymmetricPass<T> mine = by;
    mine.p += piece * stride;
    for (std::int64_t i = column; i < stride; ++i) mine.p[i] = 0;
    const std::int64_t end = piece + 1 == pieces ? of.n : edge(piece + 1);
    for (std::int64_t r = edge(piece); r < end; r += panel_rows) reduce_panel(of.data, stride, r, column, mine);
  });
  for (std::int64_t piece = 1; piece < pieces; ++piece)
    for (std::int64_t i = column; i < stride; ++i) by.p[i] += by.p[piece * stride + i];
}

template <class T>
inline void tridiagonalize(const SvdSymmetric<T>& of, T* diagonal, T* off_diagonal, T* factors, T* work) {
  const std::int64_t n = of.n, stride = of.stride;
  T *v = work, *next = v + stride, *w = next + stride, *p = w + stride;
  for (T* x = work; x != p + svd_max_pieces * stride; ++x) *x = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    const T w_j = w[j], v_j = v[j];
    for (std::int64_t i = 0; i < stride; ++i) next[i] = 0;
    for (std::int64_t i = j; i < n; ++i) next[i] = of.data[i * stride + j] - v[i] * w_j - w[i] * v_j;
    diagonal[j] = next[j];
    next[j] = v[j] = w[j] = 0;
    if (j == n - 1) break;
    const T tau = factors[j] = choose_reflection(next, j + 1, stride, off_diagonal[j]);
    reduce_rows(of, j + 1, SymmetricPass<T>{v, w, next, p});
    for (std::int64_t i = 0; i <= j; ++i) p[i] = 0;
    const T half = tau * tau * dot(p, next, j + 1, stride) / 2;
    for (std::int64_t i = j + 1; i < stride; ++i) w[i] = tau * p[i] - half * next[i];
    for (std::int64_t i = j + 2; i < n; ++i) of.data[j * stride + i] = next[i];
    T* const last = v;
    v = next;
    next = last;
  }
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
