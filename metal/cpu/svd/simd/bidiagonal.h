// Some columns of the reduction of a matrix to lower bidiagonal form (LAPACK's xLABRD), with one pass over the matrix
// for each (Howell, Demmel et al., ACM Trans. Math. Softw. 34, 2008).
//
//   A H_k = A - x (tau v)^T                     makes row k a multiple of e_k, x = A v
//   H'_k (A H_k) = A H_k - u (tau' y)^T         makes column k below the diagonal one of e_(k + 1), y = (A H_k)^T u
//
// The matrix itself stays as it is until the panel ends: its row r stands for A_r minus the products of the x and u of
// row r with the tau v and tau' y of all steps of the panel so far. The x and u lie in the row, before A_r, so that
// both are one row, for which a product with v, followed by coefficients, gives x_r. Then u_r is known but for its
// length, and the same row, still in the cache, adds to y.
#pragma once

#include "metal/cpu/svd/kernels.h"
#include "metal/cpu/svd/simd/householder.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// The columns first .. last - 1, in whole registers.
struct ColumnRange {
  std::int64_t first, last;
};

/// sum[r] += rows_r . x for four rows, `stride` elements apart; in two parts, so that additions wait less.
template <class T>
ASSAY_INLINE void add_dots(const T* rows, std::int64_t stride, const T* x, ColumnRange columns, Wide<T> (&sum)[2][4]) {
  constexpr std::int64_t w = width<T>;
  std::int64_t at = columns.first;
  for (; at + 2 * w <= columns.last; at += 2 * w) {
    const Wide<T> first = load_wide(x + at), second = load_wide(x + at + w);
    for (std::int64_t r = 0; r < 4; ++r) {
      sum[0][r] = fused(load_wide(rows + r * stride + at), first, sum[0][r]);
      sum[1][r] = fused(load_wide(rows + r * stride + at + w), second, sum[1][r]);
    }
  }
  if (at == columns.last) return;
  const Wide<T> rest = load_wide(x + at);
  for (std::int64_t r = 0; r < 4; ++r) sum[0][r] = fused(load_wide(rows + r * stride + at), rest, sum[0][r]);
}

template <class T>
ASSAY_INLINE void write_sums(Wide<T> (&sum)[2][4], T* sums) {
  T lanes[width<T>];
  for (std::int64_t r = 0; r < 4; ++r) sum[0][r] = sum[0][r] + sum[1][r];
  store_wide(lanes, sums_over_lanes(sum[0]));
  for (std::int64_t r = 0; r < 4; ++r) sums[r] = lanes[r];
}

template <class T>
ASSAY_INLINE void clear(Wide<T> (&sum)[2][4]) {
  for (std::int64_t r = 0; r < 4; ++r) sum[0][r] = sum[1][r] = all(T(0));
}

/// y += the sum of factors[r] rows_r for four rows.
template <class T>
ASSAY_INLINE void add_multiples(const T* rows, std::int64_t stride, const T* factors, T* y, ColumnRange columns) {
  Wide<T> of[4];
  for (std::int64_t r = 0; r < 4; ++r) of[r] = all(factors[r]);
  constexpr std::int64_t w = width<T>;
  for (std::int64_t at = columns.first; at < columns.last; at += w) {
    Wide<T> sum = load_wide(y + at);
    for (std::int64_t r = 0; r < 4; ++r) sum = fused(load_wide(rows + r * stride + at), of[r], sum);
    store_wide(y + at, sum);
  }
}

/// Step k = first + j of a panel.
template <class T>
struct BidiagonalStep {
  const SvdPanel<T>& of;
  std::int64_t k, j;

  static constexpr std::int64_t ahead = svd_ahead, w = width<T>;
  std::int64_t updates() const { return 2 * j; }
  /// Elements of rows that stand for updates, and those that are left of A, in whole registers.
  ColumnRange before() const { return {0, (2 * j + w - 1) / w * w}; }
  ColumnRange rest() const { return {(ahead + k) / w * w, of.stride}; }
  T* row(std::int64_t r) const { return of.data + r * of.stride; }
  T* update(std::int64_t i) const { return of.updates + i * of.stride; }
  T* u() const { return of.left + k * of.left_stride; }
};

/// y -= the sum of factors[i] update_i for i < count.
template <class T>
ASSAY_INLINE void subtract_updates(const BidiagonalStep<T>& step, const T* factors, std::int64_t count, T* y) {
  for (std::int64_t i = 0; i < count; i += 4) {
    T negative[4];
    for (std::int64_t r = 0; r < 4; ++r) negative[r] = i + r < count ? -factors[i + r] : T(0);
    add_multiples(step.update(i), step.of.stride, negative, y, step.rest());
  }
}

/// Brings row k up to date, overwrites it by v and the coefficients of the x and u before it. Returns tau.
template <class T>
ASSAY_INLINE T reflect_row(const BidiagonalStep<T>& step, T& diagonal) {
  const std::int64_t pivot = step.ahead + step.k;
  T* const v = step.row(step.k);
  subtract_updates(step, v, step.updates(), v);
  for (std::int64_t i = step.rest().first; i < pivot; ++i) v[i] = 0;
  const T tau = choose_reflection(v, pivot, step.of.stride, diagonal);
  for (std::int64_t i = 0; i < step.ahead; i += 4) {
    T products[4] = {};
    if (i < step.updates()) {
      Wide<T> sum[2][4];
      clear(sum);
      add_dots(step.update(i), step.of.stride, v, step.rest(), sum);
      write_sums(sum, products);
    }
    for (std::int64_t r = 0; r < 4; ++r) v[i + r] = i + r < step.updates() ? -products[r] : T(0);
  }
  T* const update = step.update(step.updates());
  for (std::int64_t i = step.rest().first; i < step.of.stride; ++i) update[i] = tau * v[i];
  return tau;
}

/// The pass over the rows first .. last - 1: x = A v, u = the column k of A - x (tau v)^T, y += A^T u.
template <class T>
ASSAY_INLINE void multiply_rows(const BidiagonalStep<T>& step, T tau, const T* column, std::int64_t first,
                                std::int64_t last, T* y) {
  const std::int64_t stride = step.of.stride, pivot = step.ahead + step.k;
  const T* const v = step.row(step.k);
  T* const u = step.u();
  for (std::int64_t r = first; r < last; r += 4) {
    T* const rows = step.row(r);
    Wide<T> sum[2][4];
    T x[4], changes[4];
    clear(sum);
    add_dots(rows, stride, column, step.before(), sum);
    write_sums(sum, changes);
    clear(sum);
    add_dots(rows, stride, v, step.before(), sum);
    add_dots(rows, stride, v, step.rest(), sum);
    write_sums(sum, x);
    for (std::int64_t i = 0; i < 4; ++i) u[r + i] = rows[i * stride + pivot] + changes[i] - tau * x[i];
    add_multiples(rows, stride, u + r, y, step.before());
    add_multiples(rows, stride, u + r, y, step.rest());
    for (std::int64_t i = 0; i < 4; ++i) rows[i * stride + step.updates()] = step.of.x[r + i] = x[i];
  }
}

/// The pass, in pieces of rows, each with a y of its own.
template <class T>
inline void multiply_both(const BidiagonalStep<T>& step, T tau, T* y) {
  T column[svd_ahead] = {};  // of the updates
  for (std::int64_t i = 0; i < step.updates(); ++i) column[i] = -step.update(i)[step.ahead + step.k];
  const std::int64_t begin = step.k + 1, left = step.of.n - begin, pieces = svd_pieces(left);
  const std::int64_t rows = (left + 4 * pieces - 1) / (4 * pieces) * 4;
  const auto sums = [&](std::int64_t piece)
                        ASSAY_INLINE_LAMBDA { return piece == 0 ? y : step.update(step.ahead + piece - 1); };
  in_pieces(step.of.threads, pieces, [&](std::int64_t piece) {
    T* const mine = sums(piece);
    for (std::int64_t i = 0; i < step.of.stride; ++i) mine[i] = 0;
    const std::int64_t first = begin + piece * rows, end = first + rows < step.of.n ? first + rows : step.of.n;
    multiply_rows(step, tau, column, first, end, mine);
  });
  for (std::int64_t piece = 1; piece < pieces; ++piece)
    for (std::int64_t i = 0; i < step.of.stride; ++i) y[i] += sums(piece)[i];
}

/// Overwrites column k of A H_k by u, and A^T of it by tau' y. Returns tau'.
template <class T>
ASSAY_INLINE T reflect_column(const BidiagonalStep<T>& step, T* u, T* y, T& off_diagonal) {
  const std::int64_t next = step.k + 1, stride = step.of.left_stride;
  const T first = u[next];
  const T tau = choose_reflection(u, next, stride, off_diagonal);
  const T length = first - off_diagonal, factor = tau == T(0) ? T(0) : tau / length;
  for (const ColumnRange columns : {step.before(), step.rest()})
    for (std::int64_t i = columns.first; i < columns.last; ++i) y[i] -= off_diagonal * step.row(next)[i];
  y[step.updates()] = dot(step.of.x, u, next, stride) * length;
  subtract_updates(step, y, step.updates() + 1, y);
  for (std::int64_t i = step.rest().first; i < step.of.stride; ++i) y[i] *= factor;
  for (std::int64_t r = next; r < step.of.n; ++r) step.row(r)[step.updates() + 1] = u[r];
  return tau;
}

template <class T>
inline void bidiagonalize(const SvdPanel<T>& of, T* diagonal, T* off_diagonal, T* right_factors, T* left_factors) {
  for (std::int64_t j = 0; j < of.count; ++j) {
    const BidiagonalStep<T> step = {of, of.first + j, j};
    const std::int64_t k = step.k;
    T *const u = step.u(), *const y = step.update(step.updates() + 1);
    const T tau = right_factors[k] = reflect_row(step, diagonal[k]);
    for (std::int64_t i = 0; i < of.left_stride; ++i) u[i] = 0;
    if (k + 1 == of.n) return;
    multiply_both(step, tau, y);
    left_factors[k] = reflect_column(step, u, y, off_diagonal[k]);
  }
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
