// Products of simdgroup matrices by the lanes of a warp.
//
// half, bfloat   sm_80 and later multiply them on tensor cores, if the shader cannot tell how matrices are laid out. The
//                instruction stands for itself in the PTX, where metal/nvidia/matrix_products.h joins several to one.
// others         sm_80 and sm_90 multiply doubles on tensor cores at full speed (mma.m8n8k4.f64, PTX ISA section
//                9.7.14): products of floats are exact there, and a sum of eight is rounded once to float.
// elsewhere      few units are for doubles; there, and where not all lanes take part, elements are fetched by shuffles
//                and summed in float.
#pragma once

#include <assay/matrix_layout.h>

namespace metal {

template <class T, int Cols, int Rows>
struct simdgroup_matrix;

namespace assay_detail {

/// clang knows the architecture when it compiles, but not yet when it preprocesses: so no #if.
template <class T>
ASSAY_OWN bool has_tensor_cores() {
  return sizeof(T) == 2 && __CUDA_ARCH__ >= 800 && !is_laid_out_as_by_apple();
}
template <class T>
ASSAY_OWN constexpr bool has_double_tensor_cores() {
  return sizeof(T) <= 4 && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900);
}

/// All elements of a matrix of which each lane has two.
template <class T>
class Whole {
 public:
  ASSAY_OWN Whole(simdgroup_matrix<T, 8, 8> mine, Site site) : mine_(mine), site_(site) {}
  /// `column` must be even in all lanes, or odd in all.
  ASSAY_OWN T at(int row, int column) const {
    const uint lanes = shuffled_lanes(site_);
    if (!mine_.is_transposed) return shuffled(mine_.elements.at(column % 2), lane_of_element(row, column), lanes);
    const auto both = shuffled(mine_.elements, lane_of_element(column, row), lanes);
    return both.at(row % 2);
  }

 private:
  simdgroup_matrix<T, 8, 8> mine_;
  Site site_;
};

/// A lane's elements of the matrix, or of its transpose. All lanes must call it. Not volatile, so that factors that
/// several products share are made once; nothing but a volatile product may depend on it, or lanes could drift apart
/// before it.
template <class T>
ASSAY_OWN vec<T, 2> elements_of(simdgroup_matrix<T, 8, 8> matrix, bool transposed = false) {
  if constexpr (sizeof(T) == 2)
    if (matrix.is_transposed != transposed) {
      uint other;
      asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
          : "=r"(other)
          : "r"(__builtin_bit_cast(uint, matrix.elements)));
      return __builtin_bit_cast(vec<T, 2>, other);
    }
  return matrix.elements;
}

/// The value of lane `from`. All lanes must call it, also those that ask for their own. Not volatile, as above.
ASSAY_OWN float factor_of_lane(float mine, uint from) {
  float other;
  asm("shfl.sync.idx.b32 %0, %1, %2, 31, -1;" : "=f"(other) : "f"(mine), "r"(from));
  return other;
}

/// A lane's two elements of a b + c, of 16-bit factors. `b`: its elements of the transpose. All lanes must call it.
template <class T>
ASSAY_OWN vec<float, 2> product_of_16_bits(vec<T, 2> a, vec<T, 2> b, vec<float, 2> c) {
  const uint left = __builtin_bit_cast(uint, a), right = __builtin_bit_cast(uint, b);
  vec<float, 2> d;
  if constexpr (__is_same(T, half))
    asm("assay.product.f16 {%0, %1}, {%2}, {%3}, {%4, %5};"
        : "=f"(d.x), "=f"(d.y)
        : "r"(left), "r"(right), "f"(c.x), "f"(c.y));
  else
    asm("assay.product.bf16 {%0, %1}, {%2}, {%3}, {%4, %5};"
        : "=f"(d.x), "=f"(d.y)
        : "r"(left), "r"(right), "f"(c.x), "f"(c.y));
  return d;
}

/// A lane's two elements of a b. All lanes must call it.
///
/// Lane 4 r + p of the instruction has a[r][p], b[p][r], and of the result row r, columns 2 p and 2 p + 1. It
/// multiplies four columns by four rows: the first call the even ones, the second the odd ones. So each lane gets both
/// of its elements of a from one lane. Those of b come from two lanes, of rows 2 p and 2 p + 1. A lane of an even row
/// sends its first element and then its second; a lane of an odd row the other way round.
ASSAY_OWN vec<float, 2> product_of_doubles(vec<float, 2> a, vec<float, 2> b) {
  const uint lane = lane_of_warp();
  const int row = int(lane / 4), pair = int(lane % 4), parity = row % 2;
  if (is_laid_out_as_by_apple()) {  // else each lane has its own
    const uint from_left = lane_of_element(row, 2 * pair);
    a = {factor_of_lane(a.x, from_left), factor_of_lane(a.y, from_left)};
  }
  const double left[] = {a.x, a.y};
  const bool is_odd_source = matrix_row(lane) % 2 == 1;
  const float same = factor_of_lane(is_odd_source ? b.y : b.x, lane_of_element(2 * pair + parity, row));
  const float other = factor_of_lane(is_odd_source ? b.x : b.y, lane_of_element(2 * pair + 1 - parity, row));
  const double right[] = {parity == 0 ? same : other, parity == 0 ? other : same};
  double first = 0, second = 0;
  for (int odd = 0; odd < 2; ++odd)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(first), "+d"(second)
                 : "d"(left[odd]), "d"(right[odd]));
  const vec<float, 2> product = {float(first), float(second)};
  if (!is_laid_out_as_by_apple()) return product;
  return shuffled(product, uint(4 * matrix_row(lane) + matrix_column(lane) / 2), assay_shader_side::whole_warp);
}

/// a b + c
template <class D, class A, class B, class C>
ASSAY_OWN simdgroup_matrix<D, 8, 8> product_by_lanes(simdgroup_matrix<A, 8, 8> a, simdgroup_matrix<B, 8, 8> b,
                                                     simdgroup_matrix<C, 8, 8> c, Site site) {
  simdgroup_matrix<D, 8, 8> d;
  if constexpr (__is_same(A, B) && sizeof(A) == 2)
    if (has_tensor_cores<A>() && !site.is_diverging) {
      d.elements = vec<D, 2>(product_of_16_bits(elements_of(a), elements_of(b, true), vec<float, 2>(elements_of(c))));
      return d;
    }
  if constexpr (has_double_tensor_cores<D>())
    if (!site.is_diverging) {
      d.elements = vec<D, 2>(vec<float, 2>(elements_of(c)) +
                             product_of_doubles(vec<float, 2>(elements_of(a)), vec<float, 2>(elements_of(b))));
      return d;
    }
  const uint lane = lane_of_warp();
  const Whole<A> left(a, site);
  const Whole<B> right(b, site);
  const Whole<C> sums(c, site);
  for (int k = 0; k < 2; ++k) {
    const int row = matrix_row(lane), column = matrix_column(lane) + k;
    float sum = c.is_transposed ? float(sums.at(row, column)) : float(c.elements.at(k));
    for (int n = 0; n < 8; ++n) sum = __builtin_fmaf(float(left.at(row, n)), float(right.at(n, column)), sum);
    d.elements.at(k) = D(sum);
  }
  return d;
}

}  // namespace assay_detail
}  // namespace metal
