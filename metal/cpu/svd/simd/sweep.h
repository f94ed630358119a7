// Sweeps of one-sided Jacobi (Hestenes 1958): every pair of columns is rotated once a sweep, until all are orthogonal.
//
// The pairs of a panel of 2 n columns, n = 2^k of them in either block, are paired by exclusive or: lane l of p with
// lane l ^ s of q for s = 0, ..., n - 1 in the order of the Gray code, so that one bit of the lane's number changes
// from step to step; then halves of the two blocks are exchanged, so that p and q hold columns that have not been
// paired, and so on with n / 2. That is n + n/2 + ... + 1 = 2 n - 1 steps of n disjoint pairs: each pair exactly once.
// Pairs of columns from different panels come from a tournament of the blocks, whose later rounds do only the first n
// steps.
//
// At the end every column goes back to its place: when all sweeps take the pairs in the same order, convergence takes
// one sweep less.
//
// A step is one pass over the rows: rotate, bring the next pairs together, sum their dots.
#pragma once

#include "metal/cpu/svd/simd/rotation.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// How the next pairs are formed. `swap` + k: exchanges the lanes of q that differ in bit k. `split` + k: exchanges
/// half of each block, by bit k.
inline constexpr int swap = 0, split = 4, stay = 8;

template <int move, class T>
ASSAY_INLINE void bring_together(Wide<T>& p, Wide<T>& q) {
  if constexpr (move < split) {
    if constexpr ((std::size_t{1} << move) < width<T>) q = with_lanes_swapped<move>(q);
  } else if constexpr (move < stay) {
    if constexpr ((std::size_t{1} << (move - split)) < width<T>) exchange<move - split>(p, q);
  }
}

/// Moves norms and scales to the next pairs.
template <int move, class T>
ASSAY_INLINE void move_columns(Panel<T>& panel) {
  bring_together<move>(panel.a, panel.b);
  bring_together<move>(panel.shrunk_p, panel.shrunk_q);
}

template <int move, bool rotates, class T>
ASSAY_INLINE Wide<T> next_row(const Panel<T>& panel, T* p, T* q, Wide<T> sum) {
  const Wide<T> old_p = load_wide(p), old_q = load_wide(q);
  Wide<T> new_p = old_p, new_q = old_q;
  if constexpr (rotates) {
    new_p = fused(panel.to_p, old_q, old_p);
    new_q = fused(panel.to_q, old_p, old_q);
  }
  bring_together<move>(new_p, new_q);
  if constexpr (rotates || move >= split) store_wide(p, new_p);
  store_wide(q, new_q);
  return fused(new_p, new_q, sum);
}

/// Four partial sums, each over every fourth row.
template <int move, bool rotates, class T>
ASSAY_INLINE void next_pairs(Panel<T>& panel, std::int64_t rows, std::int64_t more_rows) {
  constexpr std::int64_t n = width<T>;
  Wide<T> sum[4] = {all(T(0)), all(T(0)), all(T(0)), all(T(0))};
  const Panel<T> fixed = panel;
  T *p = panel.p, *q = panel.q;
  for (T* end = p + rows * n; p != end; p += 4 * n, q += 4 * n)
    for (std::int64_t i = 0; i < 4; ++i) sum[i] = next_row<move, rotates>(fixed, p + i * n, q + i * n, sum[i]);
  for (T* end = p + more_rows * n; p != end; p += n, q += n) next_row<move, rotates>(fixed, p, q, sum[0]);
  panel.dot = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  move_columns<move>(panel);
}

/// Undoes the swaps of a level in the lanes of q, and the split before it.
template <int k, class T>
ASSAY_INLINE void undo_level(Wide<T>& p, Wide<T>& q) {
  if constexpr ((std::size_t{1} << k) < width<T>) {
    exchange<k>(p, q);
    q = with_lanes_swapped<k>(q);
  }
}

/// For each column of p and q, its lane in p followed by q after all levels.
template <class T>
struct Restoration {
  typename WideTypes<T>::Index p[width<T>] = {}, q[width<T>] = {};

  constexpr Restoration() = default;
  explicit constexpr Restoration(int levels) {
    for (std::size_t l = 0; l < width<T>; ++l) {
      p[l] = static_cast<typename WideTypes<T>::Index>(l);
      q[l] = static_cast<typename WideTypes<T>::Index>(width<T> + l);
    }
    for (int k = 0; k < levels; ++k) undo(std::size_t{1} << k);
  }

 private:
  constexpr void undo(std::size_t bit) {
    for (std::size_t l = 0; l < width<T>; ++l) {
      if ((l & bit) == 0) continue;
      const auto crossed = q[l ^ bit];  // exchange: the lanes of p that have the bit with those of q that have not
      q[l ^ bit] = p[l];
      p[l] = crossed;
    }
    for (std::size_t l = 0; l < width<T>; ++l) {
      if ((l & bit) == 0) continue;
      const auto swapped = q[l ^ bit];
      q[l ^ bit] = q[l];
      q[l] = swapped;
    }
  }
};

template <class T>
inline constexpr Restoration<T> restorations[] = {Restoration<T>(0), Restoration<T>(1), Restoration<T>(2),
                                                  Restoration<T>(3),
                                                  width<T> > 8 ? Restoration<T>(4) : Restoration<T>()};

/// Undoes `levels` levels.
template <class T>
ASSAY_INLINE void restore(Wide<T>& p, Wide<T>& q, [[maybe_unused]] int levels,
                          [[maybe_unused]] const Restoration<T>& restoration) {
#if ASSAY_SIMD_BYTES == 64
  const Wide<T> old_p = p;
  p = picked(old_p, q, restoration.p);
  q = picked(old_p, q, restoration.q);
#else
  if (levels > 0) undo_level<0>(p, q);
  if (levels > 1) undo_level<1>(p, q);
  if (levels > 2) undo_level<2>(p, q);
  if (levels > 3) undo_level<3>(p, q);
#endif
}

/// The swaps that the steps of the first level alone made in the lanes of q.
template <class T>
ASSAY_INLINE void undo_swaps(Wide<T>& q, int levels) {
  if (levels == 4) bring_together<3>(q, q);
  if (levels == 3) q = with_lanes_swapped<2>(q);
}

/// Applies the last rotations of a panel, multiplies by the scales, and moves the columns back to their lanes.
template <class T>
ASSAY_INLINE void leave(const Panel<T>& panel, std::int64_t rows, int levels, bool within,
                        const Restoration<T>& restoration) {
  constexpr std::int64_t n = width<T>;
  const Panel<T> fixed = panel;
  for (std::int64_t i = 0; i < rows; ++i) {
    const Wide<T> p = load_wide(fixed.p + i * n), q = load_wide(fixed.q + i * n);
    Wide<T> new_p = fused(fixed.to_p, q, p), new_q = fused(fixed.to_q, p, q);
    new_p = fused_negative(fixed.shrunk_p, new_p, new_p);
    new_q = fused_negative(fixed.shrunk_q, new_q, new_q);
    if (within) {
      restore(new_p, new_q, levels, restoration);
    } else {
      undo_swaps(new_q, levels);
    }
    store_wide(fixed.p + i * n, new_p);
    store_wide(fixed.q + i * n, new_q);
  }
}

template <class T>
ASSAY_INLINE void enter(Panel<T>& panel, std::int64_t rows) {
  constexpr std::int64_t n = width<T>;
  const Wide<T> zero = all(T(0));
  Wide<T> a[2] = {zero, zero}, b[2] = {zero, zero}, g[4] = {zero, zero, zero, zero};
  for (std::int64_t row = 0; row < rows; row += 4)
    for (std::int64_t i = 0; i < 4; ++i) {
      const Wide<T> p = load_wide(panel.p + (row + i) * n), q = load_wide(panel.q + (row + i) * n);
      a[i & 1] = fused(p, p, a[i & 1]);
      b[i & 1] = fused(q, q, b[i & 1]);
      g[i] = fused(p, q, g[i]);
    }
  panel.a = a[0] + a[1];
  panel.b = b[0] + b[1];
  panel.dot = (g[0] + g[1]) + (g[2] + g[3]);
  panel.shrunk_p = panel.shrunk_q = zero;
}

/// Panels that are rotated in turns, so that the arithmetic of one fills the latency of another.
template <class T>
struct Visit {
  Panel<T>* panels;
  std::int64_t count, rows, more_rows;
  AngleLimits<T> limits;
};

template <int move, class T>
ASSAY_INLINE void step(const Visit<T>& visit) {
  for (std::int64_t j = 0; j < visit.count; ++j) {
    Panel<T>& panel = visit.panels[j];
    if (choose_rotations(panel, visit.limits)) {
      next_pairs<move, true>(panel, visit.rows, visit.more_rows);
    } else {
      next_pairs<move, false>(panel, visit.rows, visit.more_rows);
    }
  }
}

template <class T>
ASSAY_INLINE void last_step(const Visit<T>& visit, int levels, bool within) {
  const Wide<T> zero = all(T(0));
  for (std::int64_t j = 0; j < visit.count; ++j) {
    Panel<T>& panel = visit.panels[j];
    if (!choose_rotations(panel, visit.limits)) panel.to_p = panel.to_q = zero;
    leave(panel, visit.rows + visit.more_rows, levels, within, restorations<T>[levels]);
  }
}

template <class T>
inline void step(const Visit<T>& visit, int move) {
  switch (move) {
    case swap:
      return step<swap>(visit);
    case swap + 1:
      return step<swap + 1>(visit);
    case swap + 2:
      return step<swap + 2>(visit);
    case swap + 3:
      return step<swap + 3>(visit);
    case split:
      return step<split>(visit);
    case split + 1:
      return step<split + 1>(visit);
    case split + 2:
      return step<split + 2>(visit);
    default:
      return step<split + 3>(visit);
  }
}

/// Rotates every column of p with every column of q in the same group of 2^levels lanes; with `within`, every pair of
/// columns.
template <class T>
inline void visit_panels(const Visit<T>& visit, int levels, bool within) {
  for (std::int64_t j = 0; j < visit.count; ++j) enter(visit.panels[j], visit.rows);
  for (int level = levels;; --level) {
    for (unsigned s = 1; s < 1U << static_cast<unsigned>(level); ++s) step(visit, swap + __builtin_ctz(s));
    if (!within || level == 0) return last_step(visit, levels, within);
    step(visit, split + level - 1);
  }
}

/// The largest element of each group of 2^levels lanes, in all lanes of the group.
template <class T>
ASSAY_INLINE Wide<T> largest_of_group(Wide<T> x, int levels) {
  if (levels > 0) x = max(x, with_lanes_swapped<0>(x));
  if (levels > 1) x = max(x, with_lanes_swapped<1>(x));
  if (levels > 2) x = max(x, with_lanes_swapped<2>(x));
  if constexpr (width<T> > 8)
    if (levels > 3) x = max(x, with_lanes_swapped<3>(x));
  return x;
}

template <class T>
ASSAY_INLINE void begin_sweep(SweepProgress<T>& progress) {
  progress.cosine2 = progress.mixing2 = all(T(0));
}

/// Clears `active` for the groups whose columns are now orthogonal. After a pair is made orthogonal, each later
/// rotation of the sweep disturbs it by at most mixing * cosine, with random signs. Where that is too little for
/// another rotation, the sweep that would rotate nothing is left out. Returns true where all groups are done.
template <class T>
ASSAY_INLINE bool end_sweep(SweepProgress<T>& progress, int levels, std::int64_t columns,
                            const AngleLimits<T>& limits) {
  const Wide<T> cosine2 = largest_of_group(progress.cosine2, levels), tolerance = all(limits.tolerance);
  const Wide<T> left2 = cosine2 * largest_of_group(progress.mixing2, levels) * all(static_cast<T>(4 * columns));
  const Mask<T> again = greater(cosine2, tolerance) & greater(left2, tolerance);
  progress.active = where(again, progress.active, all(T(0)));
  return !any(greater(progress.active, all(T(0))));
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
