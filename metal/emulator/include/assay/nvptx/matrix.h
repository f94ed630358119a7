// Products of simdgroup matrices by the lanes of a warp.
//
// sm_80 and sm_90 multiply doubles on tensor cores at full speed (mma.m8n8k4.f64, PTX ISA section 9.7.14): products of
// floats are exact there, and a sum of eight is rounded once to float. Other GPUs have few units for doubles; there,
// and where not all lanes take part, elements are fetched by shuffles and summed in float.
#pragma once

#include <assay/compute.h>

namespace metal {
namespace assay_detail {

/// The lane that has the elements of columns 2 pair and 2 pair + 1.
ASSAY_OWN constexpr uint matrix_lane(uint row, uint pair) {
  return row / 4 * 16 + row % 4 * 2 + pair / 2 * 8 + pair % 2;
}

/// All elements of a matrix of which each lane has two.
template <class T>
class Whole {
 public:
  ASSAY_OWN Whole(vec<T, 2> mine, Site site) : site_(site), mine_(mine) {}
  /// `column` must be even in all lanes, or odd in all.
  ASSAY_OWN T at(int row, int column) const {
    return shuffled(mine_.at(column % 2), matrix_lane(uint(row), uint(column / 2)), shuffled_lanes(site_));
  }

 private:
  Site site_;
  vec<T, 2> mine_;
};

/// clang knows the architecture when it compiles, but not yet when it preprocesses: so no #if.
template <class T>
ASSAY_OWN constexpr bool has_double_tensor_cores() {
  return sizeof(T) <= 4 && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900);
}

/// The value of lane `from`, all lanes of the warp taking part. Not volatile, so that factors that several products
/// share are fetched once; nothing but a volatile product may depend on it, or lanes could drift apart before it.
ASSAY_OWN float factor_of_lane(float mine, uint from) {
  float other;
  asm("shfl.sync.idx.b32 %0, %1, %2, 31, -1;" : "=f"(other) : "f"(mine), "r"(from));
  return other;
}

/// A lane's two elements of a b. All lanes must call it.
///
/// Lane 4 r + p of the instruction has a[r][p], b[p][r], and of the result row r, columns 2 p and 2 p + 1. It
/// multiplies four columns by four rows: the first call the even ones, the second the odd ones. So each lane gets both
/// of its elements of a from one lane. Those of b come from two lanes, of rows 2 p and 2 p + 1. A lane of an even row
/// sends its first element and then its second; a lane of an odd row the other way round.
template <class T>
ASSAY_OWN vec<float, 2> product_of_tensor_cores(vec<float, 2> a, vec<float, 2> b) {
  const uint lane = lane_of_warp(), row = lane / 4, pair = lane % 4;
  const uint from_left = matrix_lane(row, pair);
  const double left[] = {factor_of_lane(a.x, from_left), factor_of_lane(a.y, from_left)};
  const bool is_odd_source = lane / 2 % 2 == 1;
  const uint parity = row % 2;
  const float same = factor_of_lane(is_odd_source ? b.y : b.x, matrix_lane(2 * pair + parity, row / 2));
  const float other = factor_of_lane(is_odd_source ? b.x : b.y, matrix_lane(2 * pair + 1 - parity, row / 2));
  const double right[] = {parity == 0 ? same : other, parity == 0 ? other : same};
  double first = 0, second = 0;
  for (int odd = 0; odd < 2; ++odd)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(first), "+d"(second)
                 : "d"(left[odd]), "d"(right[odd]));
  const uint own_row = lane / 16 * 4 + lane / 2 % 4, own_pair = lane / 8 % 2 * 2 + lane % 2;
  return shuffled(vec<float, 2>{float(first), float(second)}, 4 * own_row + own_pair, assay_shader_side::whole_warp);
}

}  // namespace assay_detail
}  // namespace metal
