// What a kernel that Apple's compiler has compiled needs beside metal_stdlib: metal/emulator/air/builtins.h writes the
// functions that it calls, in terms of Metal's. A simdgroup matrix has 64 elements there, of which a lane has two; they
// are passed here as the bits of one integer.
#pragma once

#include <metal_stdlib>

#define ASSAY_AIR extern "C" __attribute__((used, visibility("hidden"))) ASSAY_IN_PLACE

#if !ASSAY_NVPTX
/// A threadgroup variable of the module: Services::threadgroup_variable.
extern "C" __attribute__((used, visibility("hidden"))) ASSAY_OWN void* assay_air_threadgroup(const void* key,
                                                                                             ulong bytes, ulong align,
                                                                                             const char* name) {
  return assay_shader_side::services->threadgroup_variable(key, bytes, align, name);
}

/// Called in front of each integer division and remainder by a variable.
extern "C" __attribute__((used, noinline, visibility("hidden"))) ASSAY_OWN void assay_air_division(
    ulong left, ulong right, uint bits, uint is_signed, const assay_shader_side::Site* site) {
  using namespace assay_shader_side;
  if (right == 0)
    report_undefined(abi::IntegerOperation::division, {left, bits, is_signed}, {right, bits, is_signed},
                     {site->file, site->line, site->column}, __builtin_return_address(0));
}

/// Called in front of each access to an array of the function itself by an index that is a variable.
extern "C" __attribute__((used, noinline, visibility("hidden"))) ASSAY_OWN void assay_air_index(
    ulong index, ulong count, const char* type, const assay_shader_side::Site* site) {
  using namespace assay_shader_side;
  if (index >= count && services != nullptr) services->index_out_of_bounds(site, index, type, 0, nullptr);
}
#endif

namespace metal {
namespace assay_air {

template <class T>
using Bits = conditional_t<sizeof(T) == 4, ulong, uint>;

template <class T>
ASSAY_IN_PLACE Bits<T> packed(vec<T, 2> elements) {
  return as_type<Bits<T>>(elements);
}

/// The address of the element of a matrix in row 0 and column 0, and how far apart columns and rows are.
template <class T>
struct MatrixPlace {
  T* base;
  ulong column, row;
  ASSAY_OWN T* of(uint lane, int k) const {
    return base + ulong(assay_detail::matrix_row(lane)) * row + ulong(assay_detail::matrix_column(lane) + k) * column;
  }
};

template <class T>
ASSAY_IN_PLACE Bits<T> matrix_load(MatrixPlace<const T> place, assay_shader_side::Site site) {
  const uint lane = assay_detail::own_lane(site);
  return packed<T>(vec<T, 2>(*place.of(lane, 0), *place.of(lane, 1)));
}
template <class T>
ASSAY_IN_PLACE void matrix_store(MatrixPlace<T> place, T first, T second, assay_shader_side::Site site) {
  const uint lane = assay_detail::own_lane(site);
  *place.of(lane, 0) = first;
  *place.of(lane, 1) = second;
}
template <class T>
ASSAY_IN_PLACE Bits<T> matrix_diagonal(T value, assay_shader_side::Site site) {
  return packed<T>(simdgroup_matrix<T, 8>(value, site).elements);
}
template <class D, class A, class B, class C>
ASSAY_IN_PLACE Bits<D> matrix_product(vec<A, 2> a, vec<B, 2> b, vec<C, 2> c, assay_shader_side::Site site) {
  simdgroup_matrix<A, 8> left;
  simdgroup_matrix<B, 8> right;
  simdgroup_matrix<C, 8> sum;
  simdgroup_matrix<D, 8> result;
  left.elements = a;
  right.elements = b;
  sum.elements = c;
  simdgroup_multiply_accumulate(result, left, right, sum, site);
  return packed<D>(result.elements);
}

/// The value that was there. If it is not `*expected`, it is written to it.
template <class T>
ASSAY_IN_PLACE T compare_exchange(volatile atomic<T>* object, T* expected, T desired, int success, int failure) {
  atomic_compare_exchange_weak_explicit(object, expected, desired, memory_order(success), memory_order(failure));
  return *expected;
}

}  // namespace assay_air
}  // namespace metal
