// The secular equation of a divide and conquer method, a root in each lane (Gu and Eisenstat, SIAM J. Matrix Anal. Appl.
// 16, 1995; Li, LAPACK Working Note 89):
//
//   f(x) = 1 + sum_j z_j^2 / (d_j^2 - x^2) = 0
//
// Everything is a difference from the pole closer to the root, so that d_j^2 - x^2 keeps its digits for every j. A step
// replaces the sums over the poles below and above by s / (pole - x^2) + r, one for each side, with their values and
// slopes, and solves a quadratic equation. A step that leaves the interval of the root is replaced by bisection.
#pragma once

#include "metal/cpu/simd/masks.h"
#include "metal/cpu/svd/kernels.h"
#include "metal/cpu/svd/simd/householder.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// The sums over the poles up to that below the root, and over those above it, and their slopes.
template <class T>
struct SecularSums {
  Wide<T> below, above, slope_below, slope_above;
};

/// d^2 - x^2 for the roots of these lanes.
template <class T>
ASSAY_INLINE Wide<T> pole_minus_root(Wide<T> d, Wide<T> pole, Wide<T> offset) {
  return fused(d - pole, d + pole, -offset);
}

/// The sums for roots first, first + 1, ... in the lanes.
template <class T>
ASSAY_INLINE SecularSums<T> secular_sums(const SvdSecular<T>& of, std::int64_t first, Wide<T> pole, Wide<T> offset) {
  constexpr std::int64_t w = width<T>;
  const Wide<T> zero = all(T(0)), one = all(T(1));
  SecularSums<T> sums = {zero, zero, zero, zero};
  const auto add = [&](std::int64_t j, Wide<T>& sum, Wide<T>& slope) ASSAY_INLINE_LAMBDA {
    const Wide<T> inverse = one / pole_minus_root(all(of.d[j]), pole, offset), term = all(of.z[j] * of.z[j]) * inverse;
    sum = sum + term;
    slope = fused(term, inverse, slope);
  };
  const std::int64_t mixed = first + w < of.n ? first + w : of.n;
  for (std::int64_t j = 0; j < first; ++j) add(j, sums.below, sums.slope_below);
  T lanes[width<T>];
  for (std::int64_t lane = 0; lane < w; ++lane) lanes[lane] = static_cast<T>(lane) + T(0.5);
  for (std::int64_t j = first; j < mixed; ++j) {
    Wide<T> sum = zero, slope = zero;
    add(j, sum, slope);
    const Mask<T> is_below = greater(load_wide(lanes), all(static_cast<T>(j - first)));
    sums.below = sums.below + where(is_below, sum, zero);
    sums.slope_below = sums.slope_below + where(is_below, slope, zero);
    sums.above = sums.above + where(is_below, zero, sum);
    sums.slope_above = sums.slope_above + where(is_below, zero, slope);
  }
  for (std::int64_t j = mixed; j < of.n; ++j) add(j, sums.above, sums.slope_above);
  return sums;
}

/// The root of c x^2 - a x + b = 0 between the poles.
template <class T>
ASSAY_INLINE Wide<T> root_between(Wide<T> a, Wide<T> b, Wide<T> c) {
  const Wide<T> zero = all(T(0)), two = all(T(2));
  const Wide<T> root = square_root(max(fused(a, a, all(T(-4)) * b * c), zero));
  return where(greater(a, zero), two * b / (a + root), (a - root) / (two * c));
}

/// Where the roots of these lanes are sought. Roots are numbers `offset`, the squares of x less that of their pole.
template <class T>
struct RootSearch {
  Wide<T> pole, gap, low, high, offset;  ///< low < offset < high; gap: between the squares of two poles
  Mask<T> from_above;                    ///< the pole is the one above the root
};

/// Finds by the value of f halfway between the poles which one is closer, and solves for these two poles alone.
template <class T>
ASSAY_INLINE RootSearch<T> begin_search(const SvdSecular<T>& of, std::int64_t first, T squares) {
  T lower[width<T>], upper[width<T>], gap[width<T>], weight_below[width<T>], weight_above[width<T>], inner[width<T>];
  for (std::int64_t lane = 0; lane < static_cast<std::int64_t>(width<T>); ++lane) {
    const std::int64_t i = first + lane < of.n ? first + lane : of.n - 1;
    const bool last = i + 1 == of.n;
    lower[lane] = of.d[i];
    upper[lane] = last ? of.d[i] : of.d[i + 1];
    gap[lane] = last ? squares : (upper[lane] - lower[lane]) * (upper[lane] + lower[lane]);
    weight_below[lane] = of.z[i] * of.z[i] / gap[lane];
    weight_above[lane] = last ? T(0) : of.z[i + 1] * of.z[i + 1] / gap[lane];
    inner[lane] = last ? T(0) : T(1);
  }
  const Wide<T> zero = all(T(0)), one = all(T(1)), half = all(T(0.5)), two = all(T(2));
  const Wide<T> s = load_wide(weight_below), S = load_wide(weight_above);
  RootSearch<T> search;
  search.pole = load_wide(lower);
  search.gap = load_wide(gap);
  const Wide<T> middle = search.gap * half;
  const SecularSums<T> sums = secular_sums(of, first, search.pole, middle);
  const Wide<T> f = one + sums.below + sums.above;
  const Mask<T> right = greater(zero, f);
  search.from_above = right & greater(load_wide(inner), zero);
  search.pole = where(search.from_above, load_wide(upper), search.pole);
  search.low = where(search.from_above, -middle, where(right, middle, zero));
  search.high = where(search.from_above, zero, where(right, search.gap, middle));
  const Wide<T> c = f + two * (s - S), sign = where(search.from_above, -one, one);
  const Wide<T> scale = one / (absolute(c) + s + S), b = where(search.from_above, -S, s);
  const Wide<T> guess = search.gap * root_between((fused(c, sign, s) + S) * scale, b * scale, c * scale);
  search.offset =
      where(greater(guess, search.low) & greater(search.high, guess), guess, (search.low + search.high) * half);
  return search;
}

/// A step towards the roots of the lanes that move, and which of them have to move on.
template <class T>
ASSAY_INLINE Mask<T> step_to_root(const SvdSecular<T>& of, std::int64_t first, Mask<T> moves, RootSearch<T>& search) {
  constexpr T eps = sizeof(T) == 4 ? T(0x1p-24) : T(0x1p-53);
  const Wide<T> zero = all(T(0)), one = all(T(1)), offset = search.offset;
  const SecularSums<T> sums = secular_sums(of, first, search.pole, offset);
  const Wide<T> f = one + sums.below + sums.above, size = one - sums.below + sums.above;
  const Mask<T> left = greater(f, zero);
  search.high = where(left, offset, search.high);
  search.low = where(left, search.low, offset);
  // In units of the gap, the poles are at -p and q.
  const Wide<T> ratio = offset / search.gap;
  const Wide<T> p = where(search.from_above, one + ratio, ratio), q = where(search.from_above, -ratio, one - ratio);
  const Wide<T> below = p * search.gap * sums.slope_below, above = q * search.gap * sums.slope_above;
  const Wide<T> scale = one / (size + below + above), value = f * scale;
  const Wide<T> a = fused(q - p, value, fused(q, below, p * above) * scale), b = -(p * q * value);
  const Wide<T> next = fused(root_between(a, b, fused(below - above, scale, value)), search.gap, offset);
  const Wide<T> enough = size * all(eps * (8 + static_cast<T>(of.n) / 8));
  const Mask<T> far =
      moves & greater(absolute(f), enough) & greater(absolute(next - offset), absolute(offset) * all(2 * eps));
  const Mask<T> inside = greater(next, search.low) & greater(search.high, next);
  const Wide<T> otherwise = where(far, (search.low + search.high) * all(T(0.5)), offset);
  search.offset = where(moves, where(inside, next, otherwise), offset);
  return far;
}

/// Calls work(first) for the first lane of each register of n elements.
template <class T, class Work>
ASSAY_INLINE void for_secular_registers(const SvdSecular<T>& of, const Work& work) {
  constexpr std::int64_t w = width<T>;
  const std::int64_t registers = (of.n + w - 1) / w, pieces = svd_pieces(of.n);
  in_pieces(of.threads, pieces, [&](std::int64_t piece) {
    for (std::int64_t i = piece; i < registers; i += pieces) work(i * w);
  });
}

template <class T>
inline void secular_roots(const SvdSecular<T>& of, const SvdRoots<T>& to) {
  constexpr int max_steps = 100;
  T squares = 0;
  for (std::int64_t j = 0; j < of.n; ++j) squares += of.z[j] * of.z[j];
  for_secular_registers(of, [&](std::int64_t first) {
    RootSearch<T> search = begin_search(of, first, squares);
    Mask<T> moves = equal(search.gap, search.gap);
    for (int steps = 0; steps < max_steps && any(moves); ++steps) moves = step_to_root(of, first, moves, search);
    const auto count = static_cast<std::size_t>(of.n - first);
    store_wide(to.pole + first, count, search.pole);
    store_wide(to.offset + first, count, where(moves, all(T(__builtin_nanf(""))), search.offset));
  });
}

/// z_k^2 is (x_(n - 1)^2 - d_k^2) times the product of (x_i^2 - d_k^2) / (d_j^2 - d_k^2) for i < n - 1: j = i below k,
/// j = i + 1 from k on.
template <class T>
inline void secular_weights(const SvdSecular<T>& of, const SvdRoots<T>& roots, T* weights) {
  constexpr std::int64_t w = width<T>;
  T lanes[width<T>];
  for (std::int64_t lane = 0; lane < w; ++lane) lanes[lane] = static_cast<T>(lane) - T(0.5);
  for_secular_registers(of, [&](std::int64_t first) {
    const auto count = static_cast<std::size_t>(of.n - first);
    const Wide<T> d = load_wide(of.d + first, count);
    const auto root = [&](std::int64_t i)
                          ASSAY_INLINE_LAMBDA { return pole_minus_root(d, all(roots.pole[i]), all(roots.offset[i])); };
    const auto quotient = [&](std::int64_t i, Wide<T> other)
                              ASSAY_INLINE_LAMBDA { return root(i) / ((other - d) * (other + d)); };
    Wide<T> product = root(of.n - 1);
    const std::int64_t last = of.n - 1, begin = first < last ? first : last, end = first + w < last ? first + w : last;
    for (std::int64_t i = 0; i < begin; ++i) product = product * quotient(i, all(of.d[i]));
    for (std::int64_t i = begin; i < end; ++i) {
      const Mask<T> is_above = greater(load_wide(lanes), all(static_cast<T>(i - first)));
      product = product * quotient(i, where(is_above, all(of.d[i]), all(of.d[i + 1])));
    }
    for (std::int64_t i = end; i < last; ++i) product = product * quotient(i, all(of.d[i + 1]));
    store_wide(weights + first, count, times_sign_of(square_root(absolute(product)), load_wide(of.z + first, count)));
  });
}

template <class T>
inline void secular_vector(const SvdSecular<T>& of, T pole, T offset, SecularSide side, T* vector) {
  constexpr std::int64_t w = width<T>;
  Wide<T> most = all(T(0)), square = most;
  for (std::int64_t j = 0; j < of.n; j += w) {
    const auto count = static_cast<std::size_t>(of.n - j);
    const Wide<T> d = load_wide(of.d + j, count);
    Wide<T> x = load_wide(of.z + j, count) / pole_minus_root(d, all(pole), all(offset));
    if (side == SecularSide::left) x = where(equal(d, all(T(0))), all(T(-1)), d * x);
    store_wide(vector + j, count, x);
    most = max(most, absolute(load_wide(vector + j, count)));  // 0 in lanes past the end
  }
  T lanes[width<T>], largest = 0, sum = 0;
  store_wide(lanes, most);
  for (const T lane : lanes) largest = lane > largest ? lane : largest;
  const Wide<T> scale = all(1 / largest);  // the squares of elements can be out of range
  for (std::int64_t j = 0; j < of.n; j += w) {
    const Wide<T> x = load_wide(vector + j, static_cast<std::size_t>(of.n - j)) * scale;
    square = fused(x, x, square);
  }
  store_wide(lanes, square);
  for (const T lane : lanes) sum += lane;
  const T factor = static_cast<T>(1 / (static_cast<double>(largest) * __builtin_sqrt(static_cast<double>(sum))));
  for (std::int64_t j = 0; j < of.n; ++j) vector[j] *= factor;
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
