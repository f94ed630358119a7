// The factors of small matrices out of lanes: columns in the order of their norms, normalized, with canonical signs.
#pragma once

#include "metal/cpu/simd/svd_blocks.h"
#include "metal/cpu/simd/svd_load.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// The columns of one matrix in the order of their norms.
template <class T>
struct ColumnOrder {
  typename WideTypes<T>::Index lane[2 * width<T>] = {};  ///< of p and then q
  T sigma[2 * width<T>] = {};
  T factor[2 * width<T>] = {};  ///< 1 / sigma, or 0
  std::int64_t rank = 0;        ///< columns that are not 0
};

/// What a matrix is written from; its columns, n <= width of them, are in the first lanes of every row.
template <class T>
struct OrderedColumns {
  const T *p, *q;
  const ColumnOrder<T>* order;

  ASSAY_INLINE Wide<T> row(std::int64_t i) const {
    return picked(load_wide(p + i * svd_lanes<T>), load_wide(q + i * svd_lanes<T>), order->lane);
  }
};

/// The right factor V [n, n], a product of many rotations, made orthonormal to the last digits: V (3 I - V^T V) / 2, a
/// step of Newton's method (Bjorck and Bowie 1971).
template <class T>
struct PolishedColumns {
  alignas(64) T rows[width<T> * width<T>];

  ASSAY_INLINE PolishedColumns(const OrderedColumns<T>& columns, std::int64_t n) {
    constexpr std::int64_t w = svd_lanes<T>;
    alignas(64) T V[width<T> * width<T>];
    for (std::int64_t i = 0; i < n; ++i) store_wide(V + i * w, columns.row(i));
    Wide<T> gram[width<T>];
    for (std::int64_t k = 0; k < n; ++k) {
      gram[k] = all_of(T(0));
      for (std::int64_t i = 0; i < n; ++i) gram[k] = fused(all_of(V[i * w + k]), load_wide(V + i * w), gram[k]);
    }
    for (std::int64_t i = 0; i < n; ++i) {
      Wide<T> product = all_of(T(0));
      for (std::int64_t k = 0; k < n; ++k) product = fused(all_of(V[i * w + k]), gram[k], product);
      const Wide<T> x = load_wide(V + i * w);
      store_wide(rows + i * w, fused(x - product, all_of(T(0.5)), x));
    }
  }

  ASSAY_INLINE Wide<T> row(std::int64_t i) const { return load_wide(rows + i * svd_lanes<T>); }
};

/// Counts the columns that come before each: those of a larger norm, and of an equal norm those of a lower number.
template <class T>
inline void find_order(const SvdBatch<T>& batch, const T* squares, const T* ids, std::int64_t c,
                       ColumnOrder<T>& order) {
  using Index = typename WideTypes<T>::Index;
  const std::int64_t g = batch.group();
  T square[2 * width<T>], id[2 * width<T>];
  Index lane[2 * width<T>], before[2 * width<T>];
  for (std::int64_t j = 0; j < 2 * g; ++j) {
    const std::int64_t from = (j < g ? 0 : svd_lanes<T>)+c * g + (j & (g - 1));
    lane[j] = static_cast<Index>(from);
    square[j] = squares[from] > svd_smallest_square<T> ? squares[from] : T(0);
    id[j] = ids[from];
    before[j] = 0;
  }
  for (std::int64_t i = 0; i < 2 * g; ++i)
    for (std::int64_t j = 0; j < 2 * g; ++j)
      before[j] += static_cast<Index>((square[i] > square[j]) | ((square[i] == square[j]) & (id[i] < id[j])));
  for (std::int64_t j = 0; j < 2 * g; ++j) {
    order.lane[before[j]] = lane[j];
    order.sigma[before[j]] = square[j];
  }
  const Wide<T> sigma = square_root(load_wide(order.sigma)), zero = all_of(T(0));
  store_wide(order.sigma, sigma);
  store_wide(order.factor, where(greater(sigma, zero), all_of(T(1)) / sigma, zero));
  for (std::int64_t r = 0; r < batch.n; ++r) order.rank += order.sigma[r] > T(0) ? 1 : 0;
}

/// 1 with the sign, of each column, of the first of the elements of largest magnitude.
template <class T, class Columns>
ASSAY_INLINE Wide<T> signs_of(const Columns& columns, std::int64_t rows) {
  Wide<T> largest = all_of(T(0)), element = largest;
  for (std::int64_t i = 0; i < rows; ++i) {
    const Wide<T> x = columns.row(i), size = absolute(x);
    const Mask<T> more = greater(size, largest);
    largest = where(more, size, largest);
    element = where(more, x, element);
  }
  return times_sign_of(all_of(T(1)), element);
}

template <class T, class Columns>
ASSAY_INLINE void write_rows(const Columns& columns, std::int64_t rows, std::int64_t n, Wide<T> factor, T* to) {
  for (std::int64_t i = 0; i < rows; ++i)
    store_wide(to + i * n, static_cast<std::size_t>(n), fused(columns.row(i), factor, all_of(T(0))));
}

/// x[i] lane j and x[j] lane i change places.
template <int k = 0, class T>
ASSAY_INLINE void transpose(Wide<T>* x) {
  constexpr std::size_t bit = std::size_t{1} << k;
  if constexpr (bit < width<T>) {
    for (std::size_t i = 0; i < width<T>; ++i)
      if ((i & bit) == 0) exchange<k>(x[i], x[i + bit]);
    transpose<k + 1>(x);
  }
}

template <class T, class Columns>
ASSAY_INLINE void write_columns(const Columns& columns, std::int64_t rows, std::int64_t n, Wide<T> factor, T* to) {
  Wide<T> x[width<T>];
  for (std::int64_t i = 0; i < rows; i += svd_lanes<T>) {
    const std::int64_t count = rows - i < svd_lanes<T> ? rows - i : svd_lanes<T>;
    for (std::int64_t k = 0; k < svd_lanes<T>; ++k)
      x[k] = k < count ? fused(columns.row(i + k), factor, all_of(T(0))) : all_of(T(0));
    transpose(x);
    for (std::int64_t r = 0; r < n; ++r) store_wide(to + r * rows + i, static_cast<std::size_t>(count), x[r]);
  }
}

/// The factors of G = left diag(S) right^T.
template <class T>
inline void write_factors(const SvdBatch<T>& batch, const SvdGroup<T>& group, const ColumnOrder<T>& order,
                          std::int64_t b) {
  const std::int64_t m = batch.m, n = batch.n, below = batch.rows * svd_lanes<T>;
  const OrderedColumns<T> left = {group.p, group.q, &order}, rotations = {group.p + below, group.q + below, &order};
  const PolishedColumns<T> right(rotations, n);
  T *U = batch.U + b * batch.M * n, *Vh = batch.Vh + b * n * batch.N;
  const Wide<T> of_left = load_wide(order.factor);
  if (batch.transposed()) {
    const Wide<T> signs = signs_of<T>(right, n);
    write_rows(right, n, n, signs, U);
    write_columns(left, m, n, of_left * signs, Vh);
    if (order.rank < n) complete_columns(SvdView<T>{Vh, m, n, 1, m}, order.rank);
  } else {
    const Wide<T> signs = signs_of<T>(left, m);
    write_rows(left, m, n, of_left * signs, U);
    write_columns(right, n, n, signs, Vh);
    if (order.rank < n) complete_columns(SvdView<T>{U, m, n, n, 1}, order.rank);
  }
}

template <class T>
inline void store_group(const SvdBatch<T>& batch, const SvdGroup<T>& group, const Panel<T>& panel) {
  T squares[2 * width<T>], ids[2 * width<T>];
  squared_norms(SvdBlocks<T>{group.p, 2, batch.stride, batch.rows, 0}, squares);
  store_wide(ids, panel.id_p);
  store_wide(ids + svd_lanes<T>, panel.id_q);
  for (std::int64_t c = 0; c < group.count; ++c) {
    ColumnOrder<T> order;
    find_order(batch, squares, ids, c, order);
    T* S = batch.S + (group.first + c) * batch.n;
    const T first = group.down[0][c * batch.group()], second = group.down[1][c * batch.group()];
    for (std::int64_t r = 0; r < batch.n; ++r) S[r] = order.sigma[r] * first * second;
    if (batch.U != nullptr) write_factors(batch, group, order, group.first + c);
  }
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
