// One rotation: two columns a, b of W become orthogonal.
//
//   zeta = (|b|^2 - |a|^2) / (2 a.b),   t = sign(zeta) / (|zeta| + sqrt(1 + zeta^2))      the smaller of the two angles
//   c = 1 / sqrt(1 + t^2),  s = c t:    a' = c a - s b,   b' = s a + c b
//
// H. Rutishauser (Numer. Math. 9, 1966) has c = 1 - s tau, tau = s / (1 + c) = tan(theta / 2):
//
//   a' = a - s (b + tau a),   b' = b + s (a - tau b)
//
// Only the small change of a column is rounded. For n = 64 the error of V's orthogonality is then a quarter of its
// bound; with c a - s b it is six times the bound (metal/kernels/svd/README.md).
//
// Products are computed again for each rotation, because updating the norms by |a'|^2 = |a|^2 - t a.b would make small
// norms inaccurate.
#pragma once

#include "columns.h"
#include "schedule.h"

namespace assay {
namespace svd {

/// Columns are orthogonal if |a.b| <= tolerance |a| |b|, with a tolerance of four units of 2^-24. It is relative, so
/// that a matrix of small numbers does not count as orthogonal.
constant constexpr float tolerance = 0x1p-22f;

struct Products {
  float a_a, b_b, a_b;
};

/// The products of two columns of W, in device or threadgroup memory.
template <int width, class Pointer>
Products products_of(Column<Pointer> a, Column<Pointer> b, uint rows, uint lane) {
  float a_a = 0.0f, b_b = 0.0f, a_b = 0.0f;
  for (uint i = lane; i < rows; i += width) {
    const float x = a[i], y = b[i];
    a_a = fma(x, x, a_a);
    b_b = fma(y, y, b_b);
    a_b = fma(x, y, a_b);
  }
  const float3 sums = lanes_sum<width>(float3(a_a, b_b, a_b));
  return {sums.x, sums.y, sums.z};
}

/// With a NaN it is false, so that the rotations do not converge.
inline bool is_orthogonal(Products of) {
  const bool is_small = of.a_a < min_square || of.b_b < min_square;
  const float bound = is_small ? INFINITY : tolerance * (precise::sqrt(of.a_a) * precise::sqrt(of.b_b));
  return fabs(of.a_b) <= bound;
}

struct Rotation {
  float sine, tangent_of_half;
};

inline Rotation rotation_of(Products of) {
  const float zeta = (of.b_b - of.a_a) / (2.0f * of.a_b), size = fabs(zeta);
  const float tangent = size > 4096.0f ? 0.5f / size : 1.0f / (size + precise::sqrt(fma(size, size, 1.0f)));
  const float cosine = 1.0f / precise::sqrt(fma(tangent, tangent, 1.0f)), sine = copysign(tangent, zeta) * cosine;
  return {sine, sine / (1.0f + cosine)};
}

/// Rotates elements first, first + stride, ... of two columns.
template <class Column>
void rotate(Column a, Column b, Rotation by, uint length, uint first, uint stride) {
  for (uint i = first; i < length; i += stride) {
    const float x = a[i], y = b[i];
    a[i] = fma(-by.sine, fma(by.tangent_of_half, x, y), x);
    b[i] = fma(by.sine, fma(-by.tangent_of_half, y, x), y);
  }
}

/// Rotates columns a, b of W and of V if they are not orthogonal, and returns whether it did. `width` neighbouring
/// lanes share the pair; no other thread may access it. All lanes of the simdgroup must call it, because they exchange
/// sums: a pair with padding has no elements, and so counts as orthogonal.
template <int width, class Work, class Rotations>
bool orthogonalize(ColumnPair pair, Columns<Work> work, Columns<Rotations> rotations, uint columns, uint lane) {
  const Column<Work> a = work.at(pair.first), b = work.at(pair.second);
  const Products products = products_of<width>(a, b, pair.second < columns ? work.length : 0, lane);
  if (is_orthogonal(products)) return false;
  const Rotation by = rotation_of(products);
  rotate(a, b, by, work.length, lane, width);
  if (with_vectors) rotate(rotations.at(pair.first), rotations.at(pair.second), by, rotations.length, lane, width);
  return true;
}

}  // namespace svd
}  // namespace assay
