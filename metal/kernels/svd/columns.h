// The columns of W and V: their addresses, norms and order.
#pragma once

#include "../simdgroup.h"
#include "number.h"

namespace assay {
namespace svd {

constant bool with_vectors [[function_constant(with_vectors_constant)]];
constant bool shares_rotations [[function_constant(shares_rotations_constant)]];

/// Columns with a smaller norm are not rotated. Between it and the largest norm, below 2^63, quotients of norms and
/// tangents of rotations are normal floats.
constant constexpr float min_norm = 0x1p-38f, min_square = 0x1p-76f;

/// One thread's place in its threadgroup.
struct Place {
  uint index, count, simdgroup, lane;

  uint simdgroups() const { return (count + lane_count - 1) / lane_count; }
};

/// Column j of matrix b, of `padded` columns of `length` elements each.
inline device float* column_of(device float* columns, ulong b, ulong j, ulong length, Shape shape) {
  return columns + (b * shape.padded + j) * length;
}

/// Element i lies at elements[i ^ swizzle].
template <class Pointer>
struct Column {
  Pointer elements;
  uint swizzle;

  decltype(*Pointer()) operator[](uint i) const { return elements[i ^ swizzle]; }
};

/// The columns of one matrix in device or threadgroup memory. `swizzled`: the bits of 8 j that are exchanged in the
/// indices of column j, so that neighbouring columns begin in different memory banks (interface.h).
template <class Pointer>
struct Columns {
  Pointer first;
  uint length, stride, swizzled;

  Column<Pointer> at(uint j) const { return {first + ulong(j) * stride, 8 * j & swizzled}; }
};

/// W and V of matrix b.
inline Columns<device float*> work_of(device float* work, ulong b, Shape shape) {
  return {column_of(work, b, 0, shape.rows, shape), shape.rows, shape.rows, 0};
}
inline Columns<device float*> rotations_of(device float* rotations, ulong b, Shape shape) {
  return {column_of(rotations, b, 0, shape.columns, shape), shape.columns, shape.columns, 0};
}

inline Columns<threadgroup float*> shared_columns(threadgroup float* first, uint length) {
  return {first, length, shared_stride(length), shared_swizzle(length)};
}

/// The norm of a column; all lanes of a simdgroup must call it. A small norm is computed from the column times 2^76.
inline float column_norm(device const float* column, uint rows, uint lane) {
  float sum = 0.0f, sum_of_large = 0.0f;
  for (uint i = lane; i < rows; i += lane_count) {
    const float x = column[i], large = x * 0x1p76f;
    sum = fma(x, x, sum);
    sum_of_large = fma(large, large, sum_of_large);
  }
  sum = simdgroup_sum(sum);
  sum_of_large = simdgroup_sum(sum_of_large);
  return sum >= min_square ? precise::sqrt(sum) : precise::sqrt(sum_of_large) * 0x1p-76f;
}

/// The position of column j in descending order of norms; equal norms keep their order. Norms are compared by their
/// bits, which have the order of non-negative numbers and give each column a distinct position even if some norms are
/// NaN.
inline uint rank_of(uint j, device const float* norms, uint columns) {
  const uint norm = as_type<uint>(norms[j]);
  uint rank = 0;
  for (uint k = 0; k < columns; ++k) {
    const uint other = as_type<uint>(norms[k]);
    if (other > norm || (other == norm && k < j)) ++rank;
  }
  return rank;
}

/// A partial result of each simdgroup.
template <class T>
struct Parts {
  T at[lane_count];
};

}  // namespace svd
}  // namespace assay
