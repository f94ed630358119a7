// vec<T, N>, N = 2, 3, 4: Metal Shading Language Specification, section 2.2. Apple's compiler also has 8 and 16,
// without names for their elements, and published shaders use them.
//
// Reports are to show the shader's lines, not these. So arithmetic takes vectors by value, which puts the read of
// memory into the shader, and functions that change a vector in place are inlined into the line that calls them.
#pragma once

#include <assay/bfloat.h>
#include <assay/components.h>
#include <assay/index_check.h>
#include <assay/initializer_list.h>
#include <assay/integer_hooks.h>
#include <assay/swizzle.h>

namespace metal {

template <class T, int N>
struct vec;
template <class T, int N>
struct packed_vec;

namespace assay_detail {

template <class T>
struct Shape {
  static constexpr int size = 1;
  static constexpr bool is_vector = false;
  using Element = T;
};
template <class T, int N>
struct Shape<vec<T, N>> {
  static constexpr int size = N;
  static constexpr bool is_vector = true;
  using Element = T;
};
template <class T>
struct Shape<const T> : Shape<T> {};

/// What a constructor takes: a packed vector fills as many elements as the other one.
template <class T>
struct Part : Shape<T> {};
template <class T, int N>
struct Part<packed_vec<T, N>> : Shape<vec<T, N>> {};

template <class T, int N>
struct Elements {
  T at[N] = {};
  int count = 0;
  template <class U>
  ASSAY_OWN constexpr void append(U value) {
    if constexpr (Part<U>::is_vector) {
      for (int n = 0; n < Part<U>::size; ++n) at[count++] = assay_shader_side::cast<T>(value[n]);
    } else {
      at[count++] = assay_shader_side::cast<T>(value);
    }
  }
  /// {a, b}: missing elements are zero.
  ASSAY_OWN static constexpr Elements of_list(std::initializer_list<T> list) {
    Elements result;
    for (const T& value : list)
      if (result.count < N) result.append(value);
    return result;
  }
  template <class... Parts>
  ASSAY_OWN static constexpr Elements of(Parts... parts) {
    Elements result;
    (result.append(parts), ...);
    return result;
  }
};

template <int N, class... Parts>
using if_fills = enable_if_t<(Part<Parts>::size + ... + 0) == N && (sizeof...(Parts) > 1)>;
template <class S>
using if_scalar = enable_if_t<is_arithmetic_v<S> || is_enum_v<S>>;

}  // namespace assay_detail

#define ASSAY_VECTOR_ASSIGN(op)                                          \
  ASSAY_IN_PLACE constexpr vec& operator op##=(vec other) {              \
    for (int n = 0; n < size; ++n) at(n) = T(at(n) op other.at(n));      \
    return *this;                                                        \
  }                                                                      \
  ASSAY_OWN friend constexpr vec operator op(vec a, vec b) {             \
    vec result(a);                                                       \
    for (int n = 0; n < size; ++n) result.at(n) = T(a.at(n) op b.at(n)); \
    return result;                                                       \
  }
/// The operators whose result may be undefined, which is reported at the shader's line.
#define ASSAY_VECTOR_PARTIAL(op, right)                                                  \
  ASSAY_IN_PLACE constexpr vec& operator op##=(vec other) {                              \
    for (int n = 0; n < size; ++n) at(n) = T(at(n) op right(at(n), other.at(n)));        \
    return *this;                                                                        \
  }                                                                                      \
  ASSAY_IN_PLACE friend constexpr vec operator op(vec a, vec b) {                        \
    vec result(a);                                                                       \
    for (int n = 0; n < size; ++n) result.at(n) = T(a.at(n) op right(a.at(n), b.at(n))); \
    return result;                                                                       \
  }
#define ASSAY_DIVISOR(left, right) right
#define ASSAY_VECTOR_COMPARE(op)                                         \
  ASSAY_OWN friend constexpr vec<bool, size> operator op(vec a, vec b) { \
    vec<bool, size> result(false);                                       \
    for (int n = 0; n < size; ++n) result.at(n) = a.at(n) op b.at(n);    \
    return result;                                                       \
  }
#define ASSAY_VECTOR_UNARY(op)                              \
  ASSAY_OWN friend constexpr vec operator op(vec a) {       \
    for (int n = 0; n < size; ++n) a.at(n) = T(op a.at(n)); \
    return a;                                               \
  }
#define ASSAY_VECTOR_STEP(op)                         \
  ASSAY_IN_PLACE constexpr vec& operator op##op() {   \
    for (int n = 0; n < size; ++n) op##op at(n);      \
    return *this;                                     \
  }                                                   \
  ASSAY_IN_PLACE constexpr vec operator op##op(int) { \
    const vec before = *this;                         \
    for (int n = 0; n < size; ++n) op##op at(n);      \
    return before;                                    \
  }
/// The members that do not name components.
#define ASSAY_VECTOR_BODY(N)                                                                                   \
  static constexpr int size = N;                                                                               \
  using element_type = T;                                                                                      \
  vec() = default;                                                                                             \
  template <class U>                                                                                           \
  ASSAY_OWN explicit constexpr vec(vec<U, N> other) : vec(assay_detail::Elements<T, N>::of(other)) {}          \
  template <class U>                                                                                           \
  ASSAY_OWN explicit constexpr vec(packed_vec<U, N> other)                                                     \
      : vec(assay_detail::Elements<T, N>::of(other.unpacked())) {}                                             \
  ASSAY_OWN constexpr vec(std::initializer_list<T> list) : vec(assay_detail::Elements<T, N>::of_list(list)) {} \
  template <class... Parts, class = assay_detail::if_fills<N, Parts...>>                                       \
  ASSAY_OWN constexpr vec(Parts... parts) : vec(assay_detail::Elements<T, N>::of(parts...)) {}                 \
  ASSAY_SUBSCRIPTS(N)                                                                                          \
  ASSAY_VECTOR_ASSIGN(+)                                                                                       \
  ASSAY_VECTOR_ASSIGN(-)                                                                                       \
  ASSAY_VECTOR_ASSIGN(*)                                                                                       \
  ASSAY_VECTOR_PARTIAL(/, ASSAY_DIVISOR)                                                                       \
  ASSAY_VECTOR_PARTIAL(%, ASSAY_DIVISOR)                                                                       \
  ASSAY_VECTOR_ASSIGN(&)                                                                                       \
  ASSAY_VECTOR_ASSIGN(|)                                                                                       \
  ASSAY_VECTOR_ASSIGN(^)                                                                                       \
  ASSAY_VECTOR_PARTIAL(<<, assay_shader_side::shift_amount)                                                    \
  ASSAY_VECTOR_PARTIAL(>>, assay_shader_side::shift_amount)                                                    \
  ASSAY_VECTOR_COMPARE(==)                                                                                     \
  ASSAY_VECTOR_COMPARE(!=)                                                                                     \
  ASSAY_VECTOR_COMPARE(<)                                                                                      \
  ASSAY_VECTOR_COMPARE(>)                                                                                      \
  ASSAY_VECTOR_COMPARE(<=)                                                                                     \
  ASSAY_VECTOR_COMPARE(>=)                                                                                     \
  ASSAY_VECTOR_COMPARE(&&)                                                                                     \
  ASSAY_VECTOR_COMPARE(||)                                                                                     \
  ASSAY_VECTOR_UNARY(+)                                                                                        \
  ASSAY_VECTOR_UNARY(-)                                                                                        \
  ASSAY_VECTOR_UNARY(~)                                                                                        \
  ASSAY_OWN friend constexpr vec<bool, N> operator!(vec a) {                                                   \
    return a == vec(T(0));                                                                                     \
  }                                                                                                            \
  ASSAY_VECTOR_STEP(+)                                                                                         \
  ASSAY_VECTOR_STEP(-)

template <class T, int N>
struct alignas(N * sizeof(T)) vec {
  static_assert(N == 8 || N == 16, "a vector has 2, 3, 4, 8 or 16 elements");
  T elements[N];
  template <class S, class = assay_detail::if_scalar<S>>
  ASSAY_OWN constexpr vec(S all) : elements{} {
    for (T& element : elements) element = T(all);
  }
  ASSAY_OWN constexpr vec(const assay_detail::Elements<T, N>& e) : elements{} {
    for (int n = 0; n < N; ++n) elements[n] = e.at[n];
  }
  ASSAY_IN_PLACE constexpr T& at(long n) { return elements[n]; }
  ASSAY_IN_PLACE constexpr const T& at(long n) const { return elements[n]; }
  ASSAY_VECTOR_BODY(N)
};

template <class T>
struct alignas(2 * sizeof(T)) vec<T, 2> {
  ASSAY_COMPONENTS_OF_2
  template <class S, class = assay_detail::if_scalar<S>>
  ASSAY_OWN constexpr vec(S all) : ASSAY_SET_2(T(all), T(all)) {}
  ASSAY_OWN constexpr vec(T x_, T y_) : ASSAY_SET_2(x_, y_) {}
  ASSAY_OWN constexpr vec(const assay_detail::Elements<T, 2>& e) : ASSAY_SET_2(e.at[0], e.at[1]) {}
  ASSAY_IN_PLACE constexpr T& at(long n) { return ASSAY_COMPONENT_AT(n, n == 0 ? x : y); }
  ASSAY_IN_PLACE constexpr const T& at(long n) const { return ASSAY_COMPONENT_AT(n, n == 0 ? x : y); }
  ASSAY_VECTOR_BODY(2)
  ASSAY_SWIZZLES_OF(2)
};

template <class T>
struct alignas(4 * sizeof(T)) vec<T, 3> {
  ASSAY_COMPONENTS_OF_3
  template <class S, class = assay_detail::if_scalar<S>>
  ASSAY_OWN constexpr vec(S all) : ASSAY_SET_3(T(all), T(all), T(all)) {}
  ASSAY_OWN constexpr vec(T x_, T y_, T z_) : ASSAY_SET_3(x_, y_, z_) {}
  ASSAY_OWN constexpr vec(const assay_detail::Elements<T, 3>& e) : ASSAY_SET_3(e.at[0], e.at[1], e.at[2]) {}
  ASSAY_IN_PLACE constexpr T& at(long n) { return ASSAY_COMPONENT_AT(n, n == 0 ? x : n == 1 ? y : z); }
  ASSAY_IN_PLACE constexpr const T& at(long n) const { return ASSAY_COMPONENT_AT(n, n == 0 ? x : n == 1 ? y : z); }
  ASSAY_VECTOR_BODY(3)
  ASSAY_SWIZZLES_OF(3)
};

template <class T>
struct alignas(4 * sizeof(T)) vec<T, 4> {
  ASSAY_COMPONENTS_OF_4
  template <class S, class = assay_detail::if_scalar<S>>
  ASSAY_OWN constexpr vec(S all) : ASSAY_SET_4(T(all), T(all), T(all), T(all)) {}
  ASSAY_OWN constexpr vec(T x_, T y_, T z_, T w_) : ASSAY_SET_4(x_, y_, z_, w_) {}
  ASSAY_OWN constexpr vec(const assay_detail::Elements<T, 4>& e) : ASSAY_SET_4(e.at[0], e.at[1], e.at[2], e.at[3]) {}
  ASSAY_IN_PLACE constexpr T& at(long n) { return ASSAY_COMPONENT_AT(n, n == 0 ? x : n == 1 ? y : n == 2 ? z : w); }
  ASSAY_IN_PLACE constexpr const T& at(long n) const {
    return ASSAY_COMPONENT_AT(n, n == 0 ? x : n == 1 ? y : n == 2 ? z : w);
  }
  ASSAY_VECTOR_BODY(4)
  ASSAY_SWIZZLES_OF(4)
};

/// The number of elements; 1 of a scalar. No document has it, and published shaders use it.
template <class T>
struct vec_elements : integral_constant<uint, uint(assay_detail::Shape<T>::size)> {};

template <class T>
vec(T, T) -> vec<T, 2>;
template <class T>
vec(T, T, T) -> vec<T, 3>;
template <class T>
vec(T, T, T, T) -> vec<T, 4>;

}  // namespace metal
