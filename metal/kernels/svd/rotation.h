// One rotation: two columns a, b of W become orthogonal.
//
//   zeta = (|b|^2 - |a|^2) / (2 a.b),   t = sign(zeta) / (|zeta| + sqrt(1 + zeta^2))      the smaller of the two angles
//   c = 1 / sqrt(1 + t^2),  s = c t:    a' = c a - s b,   b' = s a + c b
//
// H. Rutishauser (Numer. Math. 9, 1966) has c = 1 - s tau, tau = s / (1 + c) = tan(theta / 2):
//
//   a' = a - s (b + tau a),   b' = b + s (a - tau b)
//
// What is rounded is a small change of a column. For n = 64 V is then orthogonal to a quarter of the bound that it
// misses sixfold with c a - s b (docs/metal-svd.md).
//
// Products are computed anew for each rotation: norms kept up to date by |a'|^2 = |a|^2 - t a.b would lose the small
// ones.
#pragma once

#include "columns.h"
#include "schedule.h"

namespace assay {
namespace svd {

/// Columns are orthogonal where |a.b| <= tolerance |a| |b|: four units of 2^-24. Relative, for a matrix of small
/// numbers is not an orthogonal one.
constant constexpr float tolerance = 0x1p-22f;

struct Products {
  float a_a, b_b, a_b;
};

/// Of a column of W: device or threadgroup memory.
template <int width, class Column>
Products products_of(Column a, Column b, uint rows, uint lane) {
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

/// A NaN is not orthogonal to anything: there will be no convergence.
inline bool is_orthogonal(Products of) {
  const bool is_small = of.a_a < min_square || of.b_b < min_square;
  const float bound = is_small ? INFINITY : tolerance * (sqrt(of.a_a) * sqrt(of.b_b));
  return fabs(of.a_b) <= bound;
}

struct Rotation {
  float sine, tangent_of_half;
};

inline Rotation rotation_of(Products of) {
  const float zeta = (of.b_b - of.a_a) / (2.0f * of.a_b), size = fabs(zeta);
  const float tangent = size > 4096.0f ? 0.5f / size : 1.0f / (size + sqrt(fma(size, size, 1.0f)));
  const float cosine = 1.0f / sqrt(fma(tangent, tangent, 1.0f)), sine = copysign(tangent, zeta) * cosine;
  return {sine, sine / (1.0f + cosine)};
}

/// Elements first, first + stride, ... of two columns.
template <class Column>
void rotate(Column a, Column b, Rotation by, uint length, uint first, uint stride) {
  for (uint i = first; i < length; i += stride) {
    const float x = a[i], y = b[i];
    a[i] = fma(-by.sine, fma(by.tangent_of_half, x, y), x);
    b[i] = fma(by.sine, fma(-by.tangent_of_half, y, x), y);
  }
}

/// Rotates columns a, b of W and of V, where they are not orthogonal; whether they were not. `width` neighbouring lanes
/// share the pair, and nobody else may touch it.
template <int width, class Column>
bool orthogonalize(ColumnPair pair, Column work, device float* rotations, Shape shape, uint lane) {
  if (pair.second >= shape.columns) return false;  // padding
  const Column a = work + ulong(pair.first) * shape.rows, b = work + ulong(pair.second) * shape.rows;
  const Products products = products_of<width>(a, b, shape.rows, lane);
  if (is_orthogonal(products)) return false;
  const Rotation by = rotation_of(products);
  rotate(a, b, by, shape.rows, lane, width);
  if (!with_vectors) return true;
  rotate(rotations + ulong(pair.first) * shape.columns, rotations + ulong(pair.second) * shape.columns, by,
         shape.columns, lane, width);
  return true;
}

}  // namespace svd
}  // namespace assay
