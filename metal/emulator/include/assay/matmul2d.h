// Products of matrices by Metal Performance Primitives: MPPTensorOpsMatMul2d.h of Apple's SDK.
//
// Sums are in float, or in int for integers, k = 0 first, and are rounded once to the result's type. Rows and columns
// of the result that lie outside of a tensor's extents are left out. So are products beyond the extents if K is
// dynamic. If K is fixed, all K products are formed, and an element beyond the extents is out of bounds.
#pragma once

#include <assay/cooperative_tensor.h>

namespace mpp {
namespace tensor_ops {

namespace assay_detail = metal::assay_detail;

/// The name of a function too, since C++17 has no template parameters of class type: the descriptor is a number.
struct matmul2d_descriptor {
  enum class mode { multiply, multiply_accumulate };
};

namespace detail {
struct Descriptor {
  int m, n, k;  ///< k < 0: that of the operands
  bool transpose_left, transpose_right, accumulates;
};
inline constexpr ulong extent_bits = 16, extent_mask = (1ul << extent_bits) - 1;
constexpr Descriptor decoded(ulong code) {
  const int k = int(code >> 2 * extent_bits & extent_mask);
  return {int(code & extent_mask),
          int(code >> extent_bits & extent_mask),
          k == int(extent_mask) ? -1 : k,
          (code >> 3 * extent_bits & 1) != 0,
          (code >> 3 * extent_bits & 2) != 0,
          (code >> 3 * extent_bits & 4) != 0};
}
}  // namespace detail

constexpr ulong matmul2d_descriptor(int m, int n, int k = -1, bool transpose_left = false, bool transpose_right = false,
                                    bool /*relaxed_precision*/ = false,
                                    enum matmul2d_descriptor::mode mode = matmul2d_descriptor::mode::multiply) {
  return ulong(m) | ulong(n) << detail::extent_bits |
         (k > 0 ? ulong(k) : detail::extent_mask) << 2 * detail::extent_bits |
         ulong(transpose_left) << 3 * detail::extent_bits | ulong(transpose_right) << (3 * detail::extent_bits + 1) |
         ulong(mode == matmul2d_descriptor::mode::multiply_accumulate) << (3 * detail::extent_bits + 2);
}

namespace detail {

#if ASSAY_LINT
void outside_of_tensor(int index, assay_detail::Site site);
#else
__attribute__((noinline)) ASSAY_UNCHECKED inline void outside_of_tensor(int index, assay_detail::Site site) {
  assay_shader_side::services->index_out_of_bounds(&site, ulong(long(index)),
                                                   "tensor along K, which the operation takes for fixed", 0, nullptr);
}
#endif

/// A factor in memory. `row` and `column` are those of the factor in the product.
template <class Tensor, bool is_transposed, bool is_left, bool has_fixed_k>
struct InMemory {
  const Tensor& tensor;
  assay_detail::Site site;
  using Number = typename Tensor::value_type;

  ASSAY_OWN int extent_of_k() const { return int(tensor.get_extent(is_left != is_transposed ? 0 : 1)); }
  ASSAY_IN_PLACE Number at(int row, int column) const {
    const int across = is_transposed ? row : column, down = is_transposed ? column : row;
    const int k = is_left ? column : row;
    if (has_fixed_k && k >= extent_of_k()) outside_of_tensor(k, site);
    if (across >= int(tensor.get_extent(0)) || down >= int(tensor.get_extent(1))) return Number(0);
    return *tensor.place(down, across);
  }
};

/// A factor in the registers of a simdgroup, gathered from its lanes.
template <class Cooperative, bool is_transposed, int rows, int columns>
struct Gathered {
  typename Cooperative::element_type elements[rows][columns];

  ASSAY_OWN Gathered(const Cooperative& mine, assay_detail::Site site) {
    const auto gathered = assay_detail::all_gather<assay_detail::Scope::simdgroup>(mine, site);
    for (uint lane = 0; lane < 32; ++lane)
      for (uint16_t n = 0; n < Cooperative::get_capacity(); ++n) {
        const auto place = Cooperative::at(n, {lane, 0});
        if (place.is_valid) elements[place.row][place.column] = gathered.of[lane].elements[n];
      }
  }
  ASSAY_OWN auto at(int row, int column) const { return is_transposed ? elements[column][row] : elements[row][column]; }
};

template <class Sum, class A, class B>
ASSAY_OWN Sum multiply_add(A a, B b, Sum sum) {
  if constexpr (metal::is_integral_v<Sum>)
    return Sum(a) * Sum(b) + sum;
  else
    return __builtin_fmaf(float(a), float(b), sum);
}

}  // namespace detail

template <ulong descriptor, class Scope>
class matmul2d {
 public:
  template <class Left, class Right, class Result>
  ASSAY_OWN auto get_left_input_cooperative_tensor() const {
    return metal::cooperative_tensor<Left, what.transpose_left ? what.k : what.m, what.transpose_left ? what.m : what.k,
                                     Scope::simdgroups>();
  }
  template <class Left, class Right, class Result>
  ASSAY_OWN auto get_right_input_cooperative_tensor() const {
    return metal::cooperative_tensor<Right, what.transpose_right ? what.n : what.k,
                                     what.transpose_right ? what.k : what.n, Scope::simdgroups>();
  }
  template <class Left, class Right, class Result>
  ASSAY_OWN auto get_destination_cooperative_tensor() const {
    return metal::cooperative_tensor<Result, what.m, what.n, Scope::simdgroups>();
  }

  /// Into the result's elements, or onto them if the mode accumulates. All lanes of the scope must come to it.
  template <class Left, class Right, class Result>
  ASSAY_IN_PLACE void run(const Left& left, const Right& right, Result&& result,
                          assay_detail::Site site = assay_detail::here("matmul2d::run",
                                                                       assay_detail::Needs::all_lanes)) const {
    assay_detail::own_lane(site);
    const auto a = factor<what.transpose_left, true, what.m, what.k>(left, site);
    const auto b = factor<what.transpose_right, false, what.k, what.n>(right, site);
    product(a, b, result);
  }

 private:
  static constexpr detail::Descriptor what = detail::decoded(descriptor);
  static_assert(what.m % 16 == 0 || what.n % 16 == 0, "at least one of M and N must be a multiple of 16");

  template <bool is_transposed, bool is_left, int rows, int columns, class T, class Extents, class... Rest>
  ASSAY_OWN static detail::InMemory<metal::tensor<T, Extents, Rest...>, is_transposed, is_left, (what.k > 0)> factor(
      const metal::tensor<T, Extents, Rest...>& tensor, assay_detail::Site site) {
    return {tensor, site};
  }
  template <bool is_transposed, bool is_left, int rows, int columns, class T, int r, int c, int simdgroups>
  ASSAY_OWN static detail::Gathered<metal::cooperative_tensor<T, r, c, simdgroups>, is_transposed, r, c> factor(
      const metal::cooperative_tensor<T, r, c, simdgroups>& tensor, assay_detail::Site site) {
    static_assert(simdgroups == 1, "a factor in a cooperative tensor needs execution_simdgroup");
    return {tensor, site};
  }

  template <class A, class B>
  ASSAY_OWN static int length(const A& a, const B& b) {
    if constexpr (what.k > 0)
      return what.k;
    else
      return metal::min(a.extent_of_k(), b.extent_of_k());
  }

  template <class A, class B, class T, int m, int n, int simdgroups>
  ASSAY_IN_PLACE static void product(const A& a, const B& b, metal::cooperative_tensor<T, m, n, simdgroups>& result) {
    using Sum = metal::conditional_t<metal::is_integral_v<T>, int, float>;
    const int k = length(a, b);
    for (uint16_t e = 0; e < result.get_capacity(); ++e) {
      const auto place = result.at(e);
      if (!place.is_valid) continue;
      Sum sum = what.accumulates ? Sum(result.elements[e]) : Sum(0);
      for (int i = 0; i < k; ++i) sum = detail::multiply_add(a.at(place.row, i), b.at(i, place.column), sum);
      result.elements[e] = T(sum);
    }
  }
  template <class A, class B, class T, class Extents, class... Rest>
  ASSAY_IN_PLACE static void product(const A& a, const B& b, const metal::tensor<T, Extents, Rest...>& result) {
    metal::cooperative_tensor<metal::remove_cv_t<T>, what.m, what.n, Scope::simdgroups> sums;
    if (what.accumulates) sums.load(result);
    product(a, b, sums);
    sums.store(result);
  }
};

}  // namespace tensor_ops
}  // namespace mpp
