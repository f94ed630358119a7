// Common, mathematical, relational and geometric functions: Metal Shading Language Specification,
// sections 6.3, 6.4, 6.5 and 6.7.
#pragma once

#include <assay/elementwise.h>
#include <assay/integer.h>
#if ASSAY_ARITHMETIC
#include <assay/arithmetic.h>
#endif
#if ASSAY_NVPTX
#include <assay/nvptx/libm.h>
#endif

namespace metal {
namespace assay_detail {

ASSAY_OWN float smoothed(float t) {
  return t * t * (3 - 2 * t);
}
template <class T>
ASSAY_OWN constexpr T min_of_two(T x, T y) {
  if constexpr (is_floating_point_v<T>)
    return T(__builtin_fminf(float(x), float(y)));
  else
    return y < x ? y : x;
}
template <class T>
ASSAY_OWN constexpr T max_of_two(T x, T y) {
  if constexpr (is_floating_point_v<T>)
    return T(__builtin_fmaxf(float(x), float(y)));
  else
    return x < y ? y : x;
}

}  // namespace assay_detail

#if !ASSAY_ARITHMETIC
#define MSL_ROUNDED_1(name, in_float, exact, ulps, kind, fast, slope, ...) ASSAY_FAST_1(name, in_float, __VA_ARGS__)
#define MSL_ROUNDED_2(name, in_float, exact, ulps, fast, slope_x, slope_y, ...) \
  ASSAY_FAST_2(name, in_float, __VA_ARGS__)
#endif
#define MSL_PLAIN_1(kind, name, expression) ASSAY_##kind##_1(name, expression)
#define MSL_PLAIN_2(kind, name, expression) ASSAY_##kind##_2(name, expression)
#define MSL_PLAIN_3(kind, name, expression) ASSAY_##kind##_3(name, expression)
#include <assay/functions.def>

template <class A, class R = assay_detail::if_floating<A>>
ASSAY_OWN bool isnormal(A a) {
  constexpr float min_normal = is_same_v<R, half> ? 0x1p-14f : 0x1p-126f;
  return __builtin_isfinite(float(a)) && __builtin_fabsf(float(a)) >= min_normal;
}
template <class A, class B>
ASSAY_OWN auto isordered(A a, B b) {
  return !isnan(a) && !isnan(b);
}
template <class A, class B>
ASSAY_OWN auto isunordered(A a, B b) {
  return isnan(a) || isnan(b);
}

template <int N>
ASSAY_OWN constexpr bool all(vec<bool, N> a) {
  for (int n = 0; n < N; ++n)
    if (!a.at(n)) return false;
  return true;
}
template <int N>
ASSAY_OWN constexpr bool any(vec<bool, N> a) {
  for (int n = 0; n < N; ++n)
    if (a.at(n)) return true;
  return false;
}
ASSAY_OWN constexpr bool all(bool a) {
  return a;
}
ASSAY_OWN constexpr bool any(bool a) {
  return a;
}

/// c ? b : a
template <class A, class B, class = assay_detail::if_arithmetic<A, B>>
ASSAY_OWN constexpr auto select(A a, B b, bool c) {
  return c ? b : a;
}
template <class T, int N>
ASSAY_OWN constexpr vec<T, N> select(vec<T, N> a, typename type_identity<vec<T, N>>::type b, vec<bool, N> c) {
  for (int n = 0; n < N; ++n) a.at(n) = c.at(n) ? b.at(n) : a.at(n);
  return a;
}
template <class T, int N>
ASSAY_OWN constexpr vec<T, N> select(vec<T, N> a, typename type_identity<vec<T, N>>::type b, bool c) {
  return c ? b : a;
}

/// x = result * 2^exponent, 1/2 <= |result| < 1.
template <class A, class R = assay_detail::if_floating<A>>
ASSAY_IN_PLACE R frexp(A x, int& exponent) {
  int e = 0;
  const float mantissa = __builtin_frexpf(float(x), &e);
  exponent = e;
  return R(mantissa);
}
template <class A, class R = assay_detail::if_floating<A>>
ASSAY_OWN R ldexp(A x, int exponent) {
  return R(__builtin_ldexpf(float(x), exponent));
}
template <class A, class = assay_detail::if_floating<A>>
ASSAY_OWN int ilogb(A x) {
  return __builtin_ilogbf(float(x));
}
template <class A, class R = assay_detail::if_floating<A>>
ASSAY_IN_PLACE R modf(A x, R& whole) {
  float integral = 0;
  const float rest = __builtin_modff(float(x), &integral);
  whole = R(integral);
  return R(rest);
}
/// The same of vectors, element by element.
template <class T, int N>
ASSAY_IN_PLACE vec<T, N> frexp(vec<T, N> x, vec<int, N>& exponent) {
  for (int n = 0; n < N; ++n) x.at(n) = frexp(x.at(n), exponent.at(n));
  return x;
}
template <class T, int N>
ASSAY_OWN vec<T, N> ldexp(vec<T, N> x, vec<int, N> exponent) {
  for (int n = 0; n < N; ++n) x.at(n) = ldexp(x.at(n), exponent.at(n));
  return x;
}
template <class T, int N>
ASSAY_OWN vec<int, N> ilogb(vec<T, N> x) {
  vec<int, N> result(0);
  for (int n = 0; n < N; ++n) result.at(n) = ilogb(x.at(n));
  return result;
}
template <class T, int N>
ASSAY_IN_PLACE vec<T, N> modf(vec<T, N> x, vec<T, N>& whole) {
  for (int n = 0; n < N; ++n) x.at(n) = modf(x.at(n), whole.at(n));
  return x;
}
template <class T, int N>
ASSAY_OWN vec<bool, N> isnormal(vec<T, N> x) {
  vec<bool, N> result(false);
  for (int n = 0; n < N; ++n) result.at(n) = isnormal(x.at(n));
  return result;
}
template <class A, class R>
ASSAY_IN_PLACE A sincos(A x, R& cosine) {
  cosine = cos(x);
  return sin(x);
}
namespace assay_detail {
/// The type's next number after x towards y, computed on its bits.
template <class Bits, class T>
ASSAY_OWN T next(T x, T y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  const Bits bits = __builtin_bit_cast(Bits, x);
  if (x == 0) return __builtin_bit_cast(T, Bits(y > 0 ? 1 : sign | 1));
  return __builtin_bit_cast(T, Bits((x < y) == (x > 0) ? bits + 1 : bits - 1));
}
}  // namespace assay_detail
ASSAY_OWN float nextafter(float x, float y) {
  return assay_detail::next<uint>(x, y);
}
ASSAY_OWN half nextafter(half x, half y) {
  return assay_detail::next<ushort>(x, y);
}
template <class T, int N>
ASSAY_OWN vec<T, N> nextafter(vec<T, N> x, vec<T, N> y) {
  for (int n = 0; n < N; ++n) x.at(n) = nextafter(x.at(n), y.at(n));
  return x;
}
ASSAY_IN_ALL_PRECISIONS(frexp)
ASSAY_IN_ALL_PRECISIONS(ldexp)
ASSAY_IN_ALL_PRECISIONS(ilogb)
ASSAY_IN_ALL_PRECISIONS(modf)
ASSAY_IN_ALL_PRECISIONS(sincos)
ASSAY_IN_ALL_PRECISIONS(isnormal)
ASSAY_IN_ALL_PRECISIONS(nextafter)

template <class T, int N>
ASSAY_OWN T dot(vec<T, N> a, vec<T, N> b) {
  T sum = a.at(0) * b.at(0);
  for (int n = 1; n < N; ++n) sum += a.at(n) * b.at(n);
  return sum;
}
/// `b` converts to a vector. A template of its own, so that the one above is preferred to a shader's own dot(T, T).
template <class T, int N, class Other, class = enable_if_t<is_convertible_v<Other, vec<T, N>>>>
ASSAY_OWN T dot(vec<T, N> a, Other b) {
  return dot(a, vec<T, N>(b));
}
template <class T>
ASSAY_OWN vec<T, 3> cross(vec<T, 3> a, typename type_identity<vec<T, 3>>::type b) {
  return {T(a.y * b.z - a.z * b.y), T(a.z * b.x - a.x * b.z), T(a.x * b.y - a.y * b.x)};
}
template <class T, int N>
ASSAY_OWN T length_squared(vec<T, N> a) {
  return dot(a, a);
}
template <class T, int N>
ASSAY_OWN T length(vec<T, N> a) {
  return sqrt(dot(a, a));
}
template <class T, int N>
ASSAY_OWN T distance_squared(vec<T, N> a, typename type_identity<vec<T, N>>::type b) {
  return length_squared(a - b);
}
template <class T, int N>
ASSAY_OWN T distance(vec<T, N> a, typename type_identity<vec<T, N>>::type b) {
  return length(a - b);
}
template <class T, int N>
ASSAY_OWN vec<T, N> normalize(vec<T, N> a) {
  return a * T(rsqrt(dot(a, a)));
}
template <class T, int N>
ASSAY_OWN vec<T, N> reflect(vec<T, N> i, typename type_identity<vec<T, N>>::type n) {
  return i - T(2) * dot(n, i) * n;
}
template <class T, int N>
ASSAY_OWN vec<T, N> refract(vec<T, N> i, typename type_identity<vec<T, N>>::type n,
                            typename type_identity<T>::type eta) {
  const T along = dot(n, i), k = T(1) - eta * eta * (T(1) - along * along);
  return k < T(0) ? vec<T, N>(T(0)) : eta * i - (eta * along + T(sqrt(k))) * n;
}
template <class T, int N>
ASSAY_OWN vec<T, N> faceforward(vec<T, N> n, typename type_identity<vec<T, N>>::type i,
                                typename type_identity<vec<T, N>>::type reference) {
  return dot(reference, i) < T(0) ? n : -n;
}

/// Packed vectors convert to vectors.
#define ASSAY_OF_PACKED_1(name)             \
  template <class T, int N>                 \
  ASSAY_OWN auto name(packed_vec<T, N> a) { \
    return name(vec<T, N>(a));              \
  }
#define ASSAY_OF_PACKED_2(name)                  \
  template <class T, int N, class B>             \
  ASSAY_OWN auto name(packed_vec<T, N> a, B b) { \
    return name(vec<T, N>(a), vec<T, N>(b));     \
  }
ASSAY_OF_PACKED_1(length_squared)
ASSAY_OF_PACKED_1(length)
ASSAY_OF_PACKED_1(normalize)
ASSAY_OF_PACKED_2(dot)
ASSAY_OF_PACKED_2(cross)
ASSAY_OF_PACKED_2(distance_squared)
ASSAY_OF_PACKED_2(distance)
ASSAY_OF_PACKED_2(reflect)
#undef ASSAY_OF_PACKED_1
#undef ASSAY_OF_PACKED_2

ASSAY_IN_ALL_PRECISIONS(distance)
ASSAY_IN_ALL_PRECISIONS(length)
ASSAY_IN_ALL_PRECISIONS(normalize)

}  // namespace metal
