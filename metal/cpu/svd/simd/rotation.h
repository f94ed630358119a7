// Plane rotations that make pairs of columns orthogonal, a pair in each lane.
//
// With a = |p|^2, b = |q|^2, g = p.q of a pair, and t = tan theta of the smaller of the two angles,
//
//   t = sign(a - b) 2 g / (|a - b| + sqrt((a - b)^2 + 4 g^2)),   c = 1 / sqrt(1 + t^2)
//   p' = c (p + t q),  q' = c (q - t p),   |p'|^2 = a + t g,  |q'|^2 = b - t g            (Rutishauser 1966)
//
// Columns in memory are p / d_p, q / d_q with scales d that take up the factors c, so that a rotation of two elements
// takes two multiply-adds (fast rotations: Gentleman 1973; for one-sided Jacobi, Drmac and Veselic 2008, LAPACK's
// xGSVJ0). The code keeps 1 - d and computes 1 - c: a column is multiplied by thousands of factors just below 1, and
// the rounding errors of d itself would add up to dozens of units in the last place. Every comparison is relative to
// the norms of the two columns, whose quotient may be very large as long as the squares of both are normal numbers;
// operands of a division are first scaled to about 1 by powers of two.
#pragma once

#include "metal/cpu/simd/masks.h"
#include "metal/cpu/svd/kernels.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// Squares of cosines of angles between columns: above `worthwhile` they are rotated, and above `tolerance` they are
/// not orthogonal, so that another sweep may be needed. The comparison uses an upper bound of the cosine: its square
/// times the fractions, in [1, 2), of the squared norms. The bound is therefore up to twice the square.
template <class T>
struct AngleLimits {
  explicit AngleLimits(T tolerance_of_cosine)
      : tolerance(2 * tolerance_of_cosine * tolerance_of_cosine),
        worthwhile(2 * svd_worthwhile<T> * svd_worthwhile<T>) {}
  T tolerance, worthwhile;
};

/// The extremes of a sweep so far, in the lanes of the pairs.
template <class T>
struct SweepProgress {
  Wide<T> cosine2;  ///< the largest cosine of an angle between two columns that were rotated, squared
  Wide<T> mixing2;  ///< the largest share of a normalized column that a rotation added to another, squared, over 4
  Wide<T> active;   ///< 1 in lanes whose columns may be rotated, else 0
};

/// Two blocks of columns; the two columns of a pair are in the same lane.
template <class T>
struct Panel {
  T *p, *q;
  SweepProgress<T>* progress;
  Wide<T> a, b;                ///< squared norms
  Wide<T> shrunk_p, shrunk_q;  ///< 1 - d_p, 1 - d_q
  Wide<T> dot;                 ///< of the columns as they are in memory
  Wide<T> to_p, to_q;          ///< p' = p + to_p q, q' = q + to_q p, in memory
};

template <class T>
ASSAY_INLINE Wide<T> reciprocal(Wide<T> x) {
  return all(T(1)) / x;
}
template <class T>
ASSAY_INLINE Wide<T> inverse(Wide<T> x) {
  return all(T(1)) / x;
}
template <class T>
ASSAY_INLINE Wide<T> root(Wide<T> x) {
  return square_root(x);
}
template <class T>
ASSAY_INLINE Wide<T> rough_inverse_root(Wide<T> x) {
  return all(T(1)) / square_root(x);
}
#if ASSAY_SIMD_BYTES == 64
/// Accurate to 14 bits, which is enough for an angle: the rotation leaves less than 1e-4 of g.
ASSAY_INLINE Wide<float> reciprocal(Wide<float> x) {
  x.part[0] = _mm512_maskz_rcp14_ps(0xffff, x.part[0]);
  return x;
}
ASSAY_INLINE Wide<float> rough_inverse_root(Wide<float> x) {
  x.part[0] = _mm512_maskz_rsqrt14_ps(0xffff, x.part[0]);
  return x;
}
ASSAY_INLINE Wide<float> root(Wide<float> x) {
  return x * rough_inverse_root(x);
}
/// Accurate to a unit in the last place.
ASSAY_INLINE Wide<float> inverse(Wide<float> x) {
  const Wide<float> y = reciprocal(x);
  return fused(y, fused_negative(x, y, all(1.0F)), y);
}
#endif

/// 1 - c, c = 1 / sqrt(1 + t^2), to a few units in its own last place: 1 - y (1 - r)^(-1/2) for some y near c, where
/// r = (1 - y) (1 + y) - t^2 y^2 is the difference of two small numbers.
template <class T>
ASSAY_INLINE Wide<T> cosine_below_one(Wide<T> t, Wide<T> secant2) {
  const Wide<T> one = all(T(1)), y = rough_inverse_root(secant2), below = one - y, sine = t * y;
  const Wide<T> r = fused_negative(sine, sine, below * (one + y));
  return fused_negative(y, r * fused(r, all(T(0.375)), all(T(0.5))), below);
}

/// Chooses the rotations of a panel from its dots. Returns false, and chooses none, where no pair needs one.
template <class T>
ASSAY_INLINE bool choose_rotations(Panel<T>& panel, const AngleLimits<T>& limits) {
  SweepProgress<T>& progress = *panel.progress;
  const Wide<T> zero = all(T(0)), a = panel.a, b = panel.b;
  const Wide<T> one = all(T(1)), scale_p = one - panel.shrunk_p, scale_q = one - panel.shrunk_q;
  const Wide<T> g = panel.dot * (scale_p * scale_q);
  const Wide<T> larger = max(a, b), smaller = min(a, b);
  const Wide<T> unit = normalizer(larger), other_unit = normalizer(smaller);
  const Wide<T> g1 = g * unit, cosine2 = g1 * (g * other_unit);
  const Mask<T> rotated = greater(cosine2, all(limits.worthwhile)) & greater(smaller, all(svd_smallest_square<T>)) &
                          greater(progress.active, zero);
  if (!any(rotated)) return false;
  const Wide<T> difference = (a - b) * unit, twice = g1 + g1;
  const Wide<T> size = absolute(difference);
  const Wide<T> quotient = reciprocal(size + root(fused(difference, difference, twice * twice)));
  const Wide<T> t = where(rotated, times_sign_of(twice * quotient, difference), zero);
  const Wide<T> shrink = cosine_below_one(t, fused(t, t, one));
  panel.to_p = t * (scale_q * inverse(scale_p));
  panel.to_q = -(t * (scale_p * inverse(scale_q)));
  panel.shrunk_p = fused(scale_p, shrink, panel.shrunk_p);
  panel.shrunk_q = fused(scale_q, shrink, panel.shrunk_q);
  panel.a = fused(t, g, a);
  panel.b = fused_negative(t, g, b);
  const Wide<T> rotated_cosine2 = where(rotated, cosine2, zero);
  progress.cosine2 = max(rotated_cosine2, progress.cosine2);
  progress.mixing2 = max(rotated_cosine2 * (quotient * quotient), progress.mixing2);
  return true;
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
