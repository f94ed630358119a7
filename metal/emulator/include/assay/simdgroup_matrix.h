// simdgroup_matrix: Metal Shading Language Specification, sections 2.4 and 6.7. An 8 x 8 matrix spread over the 32
// lanes (matrix_layout.h). Products are summed in float, k = 0 first, and rounded once to the result's type.
#pragma once

#include <assay/matrix_layout.h>
#if ASSAY_NVPTX
#include <assay/nvptx/matrix.h>
#endif

#define __HAVE_SIMDGROUP_MATRIX__ 1

namespace metal {

/// The 64 elements of a matrix, as Apple's own headers have them: a lane's two are the first.
template <class T>
struct vec<T, 64> {
  vec<T, 2> of_lane;
};

namespace assay_detail {

ASSAY_OWN uint own_lane(Site site) {
  return all_gather<Scope::simdgroup>(uchar(0), site).lane;
}

}  // namespace assay_detail

template <class T, int Cols, int Rows = Cols>
struct simdgroup_matrix {
  static_assert(Cols == 8 && Rows == 8, "Metal has 8 x 8 simdgroup matrices only");
  static_assert(is_floating_point_v<T>, "the elements of a simdgroup matrix are half, bfloat or float");

  vec<T, 2> elements;
#if ASSAY_NVPTX
  /// Whether the lanes have the elements of the transposed matrix. The compiler knows it after inlining.
  bool is_transposed = false;
#endif

  simdgroup_matrix() = default;
  /// A diagonal matrix.
  ASSAY_OWN explicit simdgroup_matrix(T diagonal,
                                      assay_detail::Site site = assay_detail::here("simdgroup_matrix",
                                                                                   assay_detail::Needs::all_lanes)) {
    const uint lane = assay_detail::own_lane(site);
    for (int k = 0; k < 2; ++k)
      elements.at(k) = assay_detail::matrix_row(lane) == assay_detail::matrix_column(lane) + k ? diagonal : T(0);
  }
  ASSAY_IN_PLACE vec<T, 2>& thread_elements() { return elements; }
  ASSAY_IN_PLACE const vec<T, 2>& thread_elements() const { return elements; }
};
using simdgroup_float8x8 = simdgroup_matrix<float, 8>;
using simdgroup_half8x8 = simdgroup_matrix<half, 8>;
#if __METAL_VERSION__ >= 310
using simdgroup_bfloat8x8 = simdgroup_matrix<bfloat, 8>;
#endif

template <class T, int Cols, int Rows = Cols>
ASSAY_OWN simdgroup_matrix<T, Cols, Rows> make_filled_simdgroup_matrix(T value) {
  simdgroup_matrix<T, Cols, Rows> result;
  result.elements = vec<T, 2>(value);
  return result;
}

namespace assay_detail {
/// The addresses of a lane's two elements.
template <class P>
struct Pair {
  P first, second;
};
template <class P>
ASSAY_OWN Pair<P> places(P base, ulong stride, ulong2 origin, bool transposed, Site site) {
  const uint lane = own_lane(site);
  const ulong row = ulong(matrix_row(lane)), column = ulong(matrix_column(lane));
  const P start = base + origin.y * stride + origin.x;
  if (transposed) return {start + column * stride + row, start + (column + 1) * stride + row};
  return {start + row * stride + column, start + row * stride + column + 1};
}
}  // namespace assay_detail

template <class T>
ASSAY_IN_PLACE void simdgroup_load(simdgroup_matrix<T, 8>& d, const T* source, ulong elements_per_row = 8,
                                   ulong2 origin = ulong2(0), bool transpose_matrix = false,
                                   assay_detail::Site site = assay_detail::here("simdgroup_load",
                                                                                assay_detail::Needs::all_lanes)) {
#if ASSAY_NVPTX
  d.is_transposed = transpose_matrix && assay_detail::has_tensor_cores<T>();
  transpose_matrix = transpose_matrix && !d.is_transposed;
#endif
  const auto from = assay_detail::places(source, elements_per_row, origin, transpose_matrix, site);
  d.elements.x = *from.first;
  d.elements.y = *from.second;
}
template <class T>
ASSAY_IN_PLACE void simdgroup_store(simdgroup_matrix<T, 8> a, T* target, ulong elements_per_row = 8,
                                    ulong2 origin = ulong2(0), bool transpose_matrix = false,
                                    assay_detail::Site site = assay_detail::here("simdgroup_store",
                                                                                 assay_detail::Needs::all_lanes)) {
#if ASSAY_NVPTX
  transpose_matrix = transpose_matrix != a.is_transposed;
#endif
  const auto to = assay_detail::places(target, elements_per_row, origin, transpose_matrix, site);
  *to.first = a.elements.x;
  *to.second = a.elements.y;
}

/// d = a b + c
template <class D, class A, class B, class C>
ASSAY_OWN void simdgroup_multiply_accumulate(
    simdgroup_matrix<D, 8>& d, simdgroup_matrix<A, 8> a, simdgroup_matrix<B, 8> b, simdgroup_matrix<C, 8> c,
    assay_detail::Site site = assay_detail::here("simdgroup_multiply_accumulate", assay_detail::Needs::all_lanes)) {
#if ASSAY_NVPTX
  d = assay_detail::product_by_lanes<D>(a, b, c, site);
#else
  struct Factors {
    vec<A, 2> left;
    vec<B, 2> right;
  };
  const auto gathered = assay_detail::all_gather<assay_detail::Scope::simdgroup>(Factors{a.elements, b.elements}, site);
  const int row = assay_detail::matrix_row(gathered.lane), column = assay_detail::matrix_column(gathered.lane);
  for (int k = 0; k < 2; ++k) {
    float sum = float(c.elements.at(k));
    for (int n = 0; n < 8; ++n)
      sum = __builtin_fmaf(float(gathered.of[assay_detail::lane_of_element(row, n)].left.at(n % 2)),
                           float(gathered.of[assay_detail::lane_of_element(n, column)].right.at(k)), sum);
    d.elements.at(k) = D(sum);
  }
#endif
}
template <class D, class A, class B>
ASSAY_OWN void simdgroup_multiply(simdgroup_matrix<D, 8>& d, simdgroup_matrix<A, 8> a, simdgroup_matrix<B, 8> b,
                                  assay_detail::Site site = assay_detail::here("simdgroup_multiply",
                                                                               assay_detail::Needs::all_lanes)) {
  simdgroup_multiply_accumulate(d, a, b, make_filled_simdgroup_matrix<D, 8>(D(0)), site);
}
/// An operator takes no site: all products by `*` share the site in here.
template <class T>
ASSAY_OWN simdgroup_matrix<T, 8> operator*(simdgroup_matrix<T, 8> a, simdgroup_matrix<T, 8> b) {
  simdgroup_matrix<T, 8> d;
  simdgroup_multiply(d, a, b);
  return d;
}

}  // namespace metal

/// a b + c, under the name that Apple's own headers have for it. The last argument only names the type of the result.
template <class D, class A, class B, class C>
ASSAY_OWN metal::vec<D, 64> __metal_simdgroup_matrix_8x8_multiply_accumulate(
    metal::vec<A, 64> a, metal::vec<B, 64> b, metal::vec<C, 64> c, metal::vec<D, 64>,
    assay_shader_side::Site site = assay_shader_side::here("simdgroup_multiply_accumulate",
                                                           assay_shader_side::Needs::all_lanes)) {
  metal::simdgroup_matrix<A, 8> left;
  metal::simdgroup_matrix<B, 8> right;
  metal::simdgroup_matrix<C, 8> sum;
  metal::simdgroup_matrix<D, 8> result;
  left.elements = a.of_lane;
  right.elements = b.of_lane;
  sum.elements = c.of_lane;
  metal::simdgroup_multiply_accumulate(result, left, right, sum, site);
  return {result.elements};
}
