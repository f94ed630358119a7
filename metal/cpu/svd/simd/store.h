// Stores the factors of small matrices from lanes: columns in the order of their norms, normalized, with canonical
// signs.
//
// A matrix of up to 2 g columns has g lanes of p and of q. Here its columns are brought side by side, in order, in 2 g
// lanes of one row, with width / (2 g) matrices to a row, which are written together.
#pragma once

#include "metal/cpu/svd/simd/blocks.h"
#include "metal/cpu/svd/simd/load.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// Lane l becomes lane l ^ s, for the next s of the Gray code; `step` counts from 1.
template <class T>
ASSAY_INLINE Wide<T> next_partner(Wide<T> x, unsigned step) {
  switch (__builtin_ctz(step)) {
    case 0:
      return with_lanes_swapped<0>(x);
    case 1:
      return with_lanes_swapped<1>(x);
    case 2:
      return with_lanes_swapped<2>(x);
    default:
      break;
  }
  if constexpr (width<T> > 8) return with_lanes_swapped<3>(x);
  return x;
}

/// Matrices side by side in a row, from matrix `first` of a group on.
template <class T>
struct OrderedMatrices {
  std::int64_t first, lanes, count;             ///< lanes: 2 g
  typename WideTypes<T>::Index lane[width<T>];  ///< an index into p followed by q
  T sigma[width<T>];
  T factor[width<T>];  ///< 1 / sigma, or 0
  bool whole;          ///< whether no column is 0
};

/// For each column, how many columns of the same matrix come before it: those of a larger norm, and those of an equal
/// norm that were before it from the beginning.
template <class T>
ASSAY_INLINE Wide<T> columns_before(Wide<T> square, std::int64_t columns) {
  T number[width<T>];
  for (std::size_t l = 0; l < width<T>; ++l) number[l] = static_cast<T>(l);
  const Wide<T> one = all(T(1)), zero = all(T(0)), own = load_wide(number);
  Wide<T> before = zero, other = square, others = own;
  for (unsigned s = 1; s < static_cast<unsigned>(columns); ++s) {
    other = next_partner(other, s);
    others = next_partner(others, s);
    const Wide<T> of_equal = where(greater(own, others), one, zero);
    before = before + where(greater(other, square), one, where(greater(square, other), zero, of_equal));
  }
  return before;
}

template <class T>
inline void find_order(const SvdBatch<T>& batch, const T* squares, OrderedMatrices<T>& matrices) {
  using Index = typename WideTypes<T>::Index;
  const std::int64_t g = batch.group();
  T square[width<T>], before[width<T>];
  Index from[width<T>];
  for (std::int64_t l = 0; l < svd_lanes<T>; ++l) {
    const std::int64_t matrix = matrices.first + l / matrices.lanes, column = l & (matrices.lanes - 1);
    from[l] = static_cast<Index>((column < g ? 0 : svd_lanes<T>)+matrix * g + (column & (g - 1)));
    square[l] = squares[from[l]] > svd_smallest_square<T> ? squares[from[l]] : T(0);
  }
  store_wide(before, columns_before(load_wide(square), matrices.lanes));
  for (std::int64_t l = 0; l < svd_lanes<T>; ++l) {
    const std::int64_t to = (l & ~(matrices.lanes - 1)) + static_cast<std::int64_t>(before[l]);
    matrices.lane[to] = from[l];
    matrices.sigma[to] = square[l];
  }
  const Wide<T> sigma = square_root(load_wide(matrices.sigma)), zero = all(T(0));
  store_wide(matrices.sigma, sigma);
  store_wide(matrices.factor, where(greater(sigma, zero), all(T(1)) / sigma, zero));
  matrices.whole = true;
  for (std::int64_t c = 0; c < matrices.count; ++c)
    matrices.whole &= matrices.sigma[c * matrices.lanes + batch.n - 1] > T(0);
}

/// The columns of these matrices, from some row of the blocks on.
template <class T>
struct OrderedColumns {
  const T *p, *q;
  const OrderedMatrices<T>* matrices;

  ASSAY_INLINE Wide<T> row(std::int64_t i) const {
    return picked(load_wide(p + i * svd_lanes<T>), load_wide(q + i * svd_lanes<T>), matrices->lane);
  }
};

/// Right factors V [n, n], products of many rotations, made orthonormal to working precision: V (3 I - V^T V) / 2, a
/// step of Newton's method (Bjorck and Bowie 1971). With D_s the products of each column and its partner l ^ s, (V V^T
/// V)_l = sum_s V_(l ^ s) D_s.
template <int bits, class T>
struct PolishedColumns {
  static constexpr unsigned most = 1U << bits;  ///< the largest number of rows, and of columns
  Wide<T> rows[most];

  ASSAY_INLINE PolishedColumns(const OrderedColumns<T>& columns, std::int64_t n) {
    Wide<T> V[most], partner[most];
    for (unsigned i = 0; i < most; ++i) {
      V[i] = partner[i] = i < n ? columns.row(i) : all(T(0));
      rows[i] = all(T(0));
    }
#pragma GCC unroll 16
    for (unsigned s = 0; s < most; ++s) {
      Wide<T> products[2] = {all(T(0)), all(T(0))};
      for (unsigned i = 0; i < most; ++i) {
        if (s > 0) partner[i] = next_partner(partner[i], s);
        products[i & 1] = fused(V[i], partner[i], products[i & 1]);
      }
      const Wide<T> product = products[0] + products[1];
      for (unsigned i = 0; i < most; ++i) rows[i] = fused(partner[i], product, rows[i]);
    }
    for (unsigned i = 0; i < most; ++i) rows[i] = fused(V[i] - rows[i], all(T(0.5)), V[i]);
  }

  ASSAY_INLINE Wide<T> row(std::int64_t i) const { return rows[i]; }
};

/// For each column, 1 with the sign of the first of the elements of largest magnitude.
template <class T, class Columns>
ASSAY_INLINE Wide<T> signs_of(const Columns& columns, std::int64_t rows) {
  Wide<T> largest = all(T(0)), element = largest;
  for (std::int64_t i = 0; i < rows; ++i) {
    const Wide<T> x = columns.row(i), size = absolute(x);
    const Mask<T> more = greater(size, largest);
    largest = where(more, size, largest);
    element = where(more, x, element);
  }
  return times_sign_of(all(T(1)), element);
}

/// Where element (i, r) of matrix c goes, of the matrices side by side: to[c * size + i * row_step + r], or with rows
/// and columns exchanged.
template <class T>
struct Destination {
  T* to;
  std::int64_t size;
};

/// Stores the first `count` lanes of each matrix.
template <class T>
ASSAY_INLINE void write_each(const OrderedMatrices<T>& matrices, Wide<T> x, std::int64_t count,
                             const Destination<T>& destination, std::int64_t offset) {
  T values[2 * width<T>];
  if (matrices.lanes == svd_lanes<T>) return store_wide(destination.to + offset, static_cast<std::size_t>(count), x);
  store_wide(values, x);
  for (std::int64_t c = 0; c < matrices.count; ++c) {
    T* const to = destination.to + c * destination.size + offset;
    const T* const from = values + c * matrices.lanes;
    if (count == 8) {
      __builtin_memcpy(to, from, 8 * sizeof(T));
    } else {
      for (std::int64_t j = 0; j < count; ++j) to[j] = from[j];
    }
  }
}

template <class T, class Columns>
ASSAY_INLINE void write_rows(const OrderedMatrices<T>& matrices, const Columns& columns, std::int64_t rows,
                             std::int64_t n, Wide<T> factor, const Destination<T>& destination) {
  for (std::int64_t i = 0; i < rows; ++i)
    write_each(matrices, fused(columns.row(i), factor, all(T(0))), n, destination, i * n);
}

/// Exchanges lane j of x[i] with lane i of x[j], in each group of 2^bits lanes.
template <int bits, int k = 0, class T>
ASSAY_INLINE void transpose(Wide<T>* x) {
  if constexpr (k < bits) {
    for (unsigned i = 0; i < 1U << bits; ++i)
      if ((i >> k & 1U) == 0) exchange<k>(x[i], x[i + (1U << k)]);
    transpose<bits, k + 1>(x);
  }
}

template <int bits, class T, class Columns>
ASSAY_INLINE void write_columns(const OrderedMatrices<T>& matrices, const Columns& columns, std::int64_t rows,
                                std::int64_t n, Wide<T> factor, const Destination<T>& destination) {
  constexpr std::int64_t some = 1 << bits;
  Wide<T> x[std::size_t{1} << bits];
  for (std::int64_t first = 0; first < rows; first += some) {
    const std::int64_t count = rows - first < some ? rows - first : some;
    for (std::int64_t k = 0; k < some; ++k)
      x[k] = k < count ? fused(columns.row(first + k), factor, all(T(0))) : all(T(0));
    transpose<bits>(x);
    for (std::int64_t r = 0; r < n; ++r) write_each(matrices, x[r], count, destination, r * rows + first);
  }
}

/// Stores the factors of G = left diag(S) right^T.
template <int bits, class T>
inline void write_factors(const SvdBatch<T>& batch, const SvdGroup<T>& group, const OrderedMatrices<T>& matrices) {
  const std::int64_t m = batch.m, n = batch.n, below = batch.rows * svd_lanes<T>, b = group.first + matrices.first;
  const OrderedColumns<T> left = {group.p, group.q, &matrices},
                          rotations = {group.p + below, group.q + below, &matrices};
  const PolishedColumns<bits, T> right(rotations, n);
  const Destination<T> U = {batch.U + b * batch.M * n, batch.M * n}, Vh = {batch.Vh + b * n * batch.N, n * batch.N};
  const Wide<T> normalizers = load_wide(matrices.factor);
  if (batch.transposed()) {
    const Wide<T> signs = signs_of<T>(right, n);
    write_rows(matrices, right, n, n, signs, U);
    write_columns<bits>(matrices, left, m, n, normalizers * signs, Vh);
  } else {
    const Wide<T> signs = signs_of<T>(left, m);
    write_rows(matrices, left, m, n, normalizers * signs, U);
    write_columns<bits>(matrices, right, n, n, signs, Vh);
  }
}

/// Completes the left vectors of singular values that are 0.
template <class T>
inline void complete_left(const SvdBatch<T>& batch, const SvdGroup<T>& group, const OrderedMatrices<T>& matrices) {
  const std::int64_t m = batch.m, n = batch.n;
  for (std::int64_t c = 0; c < matrices.count; ++c) {
    const std::int64_t b = group.first + matrices.first + c;
    std::int64_t rank = 0;
    while (rank < n && matrices.sigma[c * matrices.lanes + rank] > T(0)) ++rank;
    if (rank == n) continue;
    complete_columns(
        batch.transposed() ? SvdView<T>{batch.Vh + b * n * m, m, n, 1, m} : SvdView<T>{batch.U + b * m * n, m, n, n, 1},
        rank);
  }
}

template <class T>
inline void write_vectors(const SvdBatch<T>& batch, const SvdGroup<T>& group, const OrderedMatrices<T>& matrices) {
  switch (batch.levels) {
    case 0:
      write_factors<1>(batch, group, matrices);
      break;
    case 1:
      write_factors<2>(batch, group, matrices);
      break;
    case 2:
      write_factors<3>(batch, group, matrices);
      break;
    default:
      if constexpr (width<T> > 8) write_factors<4>(batch, group, matrices);
  }
  if (!matrices.whole) complete_left(batch, group, matrices);
}

template <class T>
inline void store_group(const SvdBatch<T>& batch, const SvdGroup<T>& group) {
  T squares[2 * width<T>];
  squared_norms(SvdBlocks<T>{group.p, 2, batch.stride, batch.rows, 0}, squares);
  OrderedMatrices<T> matrices;
  matrices.lanes = 2 * batch.group();
  const std::int64_t side_by_side = svd_lanes<T> / matrices.lanes;
  for (matrices.first = 0; matrices.first < group.count; matrices.first += side_by_side) {
    const std::int64_t left = group.count - matrices.first;
    matrices.count = left < side_by_side ? left : side_by_side;
    find_order(batch, squares, matrices);
    for (std::int64_t c = 0; c < matrices.count; ++c) {
      const std::int64_t lane = (matrices.first + c) * batch.group();
      T* const S = batch.S + (group.first + matrices.first + c) * batch.n;
      for (std::int64_t r = 0; r < batch.n; ++r)
        S[r] = matrices.sigma[c * matrices.lanes + r] * group.down[0][lane] * group.down[1][lane];
    }
    if (batch.U != nullptr) write_vectors(batch, group, matrices);
  }
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
