// Eigenvalues of a positive definite tridiagonal matrix by Sturm sequences (Golub and Van Loan 2013, section 8.4.1), an
// eigenvalue in each lane: bisection until an interval holds one eigenvalue, then Newton's method within it.
//
//   p_i = det(T_i - x),   p_i = (a_i - x) p_(i - 1) - b_(i - 1)^2 p_(i - 2)
//
// As many eigenvalues are below x as the sequence changes its sign. A step has no division, and takes the time of some
// multiply-adds. Errors are a few units of roundoff of the largest eigenvalue.
#pragma once

#include "metal/cpu/simd/masks.h"
#include "metal/cpu/svd/kernels.h"
#include "metal/cpu/svd/simd/householder.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// A tridiagonal matrix [n, n] with eigenvalues between 0 and 1: its diagonal, and minus the squares of the elements
/// beside it, where squares[i] belongs to rows i - 1 and i.
template <class T>
struct SturmMatrix {
  std::int64_t n;
  const T *diagonal, *squares;
  std::size_t threads;

  /// Calls work(first) for the first lane of each register of n elements.
  template <class Work>
  ASSAY_INLINE void for_registers(const Work& work) const {
    constexpr std::int64_t w = width<T>;
    const std::int64_t registers = (n + w - 1) / w, pieces = svd_pieces(n);
    in_pieces(threads, pieces, [&](std::int64_t piece) {
      for (std::int64_t i = piece; i < registers; i += pieces) work(i * w);
    });
  }
};

template <class T>
struct SturmSequence {
  Wide<T> below;   ///< the number of eigenvalues below x
  Wide<T> newton;  ///< p_n / -p_n', the step of Newton's method
};

/// The steps between two of which p is multiplied by a power of two. A step makes p larger by a factor of at most 3,
/// and two of them make it smaller by a factor of at least smallest_square.
template <class T>
inline constexpr std::int64_t sturm_steps = sizeof(T) == 4 ? 4 : 16;
template <class T>
inline constexpr T smallest_square = sizeof(T) == 4 ? T(0x1p-48) : T(0x1p-106);

template <class T>
ASSAY_INLINE SturmSequence<T> sturm_sequence(const SturmMatrix<T>& of, Wide<T> x) {
  const Wide<T> one = all(T(1));
  Wide<T> p = one, p_before = all(T(0)), slope = p_before, slope_before = p_before, kept = p_before;
  for (std::int64_t first = 0; first < of.n; first += sturm_steps<T>) {
    const std::int64_t last = first + sturm_steps<T> < of.n ? first + sturm_steps<T> : of.n;
    for (std::int64_t i = first; i < last; ++i) {
      const Wide<T> a = all(of.diagonal[i]) - x, square = all(of.squares[i]);
      const Wide<T> next = fused(a, p, square * p_before);
      const Wide<T> next_slope = fused(a, slope, fused(square, slope_before, p));
      kept = kept + times_sign_of(one, times_sign_of(next, p));
      p_before = p;
      p = next;
      slope_before = slope;
      slope = next_slope;
    }
    const Wide<T> factor = normalizer(max(absolute(p), absolute(p_before)));
    p = p * factor;
    p_before = p_before * factor;
    slope = slope * factor;
    slope_before = slope_before * factor;
  }
  return {(all(static_cast<T>(of.n)) - kept) * all(T(0.5)), p / slope};
}

/// Where eigenvalues are: low <= eigenvalue <= high, and how many eigenvalues are below both ends.
template <class T>
struct SturmIntervals {
  T *low, *high, *below_low, *below_high;
};

/// Counts eigenvalues below n points, closer to each other near 0 as eigenvalues of A^T A are.
template <class T>
ASSAY_INLINE void first_intervals(const SturmMatrix<T>& of, T* counts, const SturmIntervals<T>& to) {
  constexpr std::int64_t w = width<T>;
  const auto point = [&](std::int64_t j) ASSAY_INLINE_LAMBDA {
    const T root = static_cast<T>(j + 1) / static_cast<T>(of.n + 1);
    return root * root;
  };
  of.for_registers([&](std::int64_t first) {
    T x[width<T>];
    for (std::int64_t lane = 0; lane < w; ++lane) x[lane] = point(first + lane);
    store_wide(counts + first, static_cast<std::size_t>(of.n - first), sturm_sequence(of, load_wide(x)).below);
  });
  std::int64_t j = 0;
  for (std::int64_t i = 0; i < of.n; ++i) {
    while (j < of.n && counts[j] <= static_cast<T>(i)) ++j;
    to.low[i] = j > 0 ? point(j - 1) : T(0);
    to.below_low[i] = j > 0 ? counts[j - 1] : T(0);
    to.high[i] = j < of.n ? point(j) : T(1);
    to.below_high[i] = j < of.n ? counts[j] : static_cast<T>(of.n);
  }
}

/// The eigenvalues `index`, counted from the smallest one, in the intervals from `first` on.
template <class T>
ASSAY_INLINE Wide<T> find_in_intervals(const SturmMatrix<T>& of, const SturmIntervals<T>& in, std::int64_t first) {
  constexpr T eps = sizeof(T) == 4 ? T(0x1p-23) : T(0x1p-52);
  const auto count = static_cast<std::size_t>(of.n - first);
  T numbers[width<T>];
  for (std::size_t lane = 0; lane < width<T>; ++lane) numbers[lane] = static_cast<T>(first) + static_cast<T>(lane);
  const Wide<T> index = load_wide(numbers), one = all(T(1)), half = all(T(0.5));
  Wide<T> low = load_wide(in.low + first, count), high = load_wide(in.high + first, count);
  Wide<T> below_low = load_wide(in.below_low + first, count), below_high = load_wide(in.below_high + first, count);
  Wide<T> x = (low + high) * half, step = high - low;
  for (int steps = 0; steps < 8 * static_cast<int>(sizeof(T)); ++steps) {
    const Wide<T> enough = fused(absolute(x), all(64 * eps), all(eps));
    const Mask<T> moves = greater(step, enough);
    if (!any(moves)) break;
    const SturmSequence<T> at = sturm_sequence(of, x);
    const Mask<T> above = greater(at.below, index);
    high = where(above, x, high);
    below_high = where(above, at.below, below_high);
    low = where(above, low, x);
    below_low = where(above, below_low, at.below);
    const Wide<T> newton = x + at.newton, size = absolute(at.newton);
    const Mask<T> alone = equal(below_high - below_low, one), faster = greater(step * half, size);
    const Mask<T> inside = (greater(newton, low) & greater(high, newton)) | greater(enough, size);
    const Wide<T> next = where(alone & faster & inside, newton, (low + high) * half);
    step = where(moves, absolute(next - x), step);
    x = where(moves, next, x);
  }
  return x;
}

template <class T>
inline void eigenvalues(const SvdBands<T>& bands, T* values, T* work) {
  constexpr std::int64_t w = width<T>;
  const std::int64_t n = bands.n;
  const T *const diagonal = bands.diagonal, *const off_diagonal = bands.off_diagonal;
  T *const scaled = work, *const squares = scaled + n, *const counts = squares + n;
  const SturmIntervals<T> intervals = {counts + n, counts + 2 * n, counts + 3 * n, counts + 4 * n};
  const auto size = [](T x) ASSAY_INLINE_LAMBDA { return x < T(0) ? -x : x; };
  T bound = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const T before = i > 0 ? off_diagonal[i - 1] : T(0), after = i + 1 < n ? off_diagonal[i] : T(0);
    const T row = size(diagonal[i]) + size(before) + size(after);
    if (!(row <= bound)) bound = row;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const T before = i > 0 ? off_diagonal[i - 1] / bound : T(0), square = before * before;
    scaled[i] = diagonal[i] / bound;
    squares[i] = i == 0 ? T(0) : -(square > smallest_square<T> ? square : smallest_square<T>);
  }
  const SturmMatrix<T> of = {n, scaled, squares, bands.threads};
  first_intervals(of, counts, intervals);
  of.for_registers([&](std::int64_t first) {
    T found[width<T>];
    store_wide(found, find_in_intervals(of, intervals, first));
    for (std::int64_t lane = 0; lane < w && first + lane < n; ++lane)
      values[n - 1 - first - lane] = found[lane] * bound;
  });
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
