// Common, mathematical, relational and geometric functions: Metal Shading Language Specification,
// sections 6.3, 6.4, 6.5 and 6.7.
#pragma once

#include <assay/elementwise.h>
#include <assay/limits.h>
#if ASSAY_ARITHMETIC
#include <assay/arithmetic.h>
#endif
#if ASSAY_NVPTX
#include <assay/nvptx/libm.h>
#endif

namespace metal {

#if !ASSAY_ARITHMETIC
ASSAY_FLOAT_1(acos, __builtin_acosf(x))
ASSAY_FLOAT_1(acosh, __builtin_acoshf(x))
ASSAY_FLOAT_1(asin, __builtin_asinf(x))
ASSAY_FLOAT_1(asinh, __builtin_asinhf(x))
ASSAY_FLOAT_1(atan, __builtin_atanf(x))
ASSAY_FLOAT_1(atanh, __builtin_atanhf(x))
ASSAY_FAST_1(cos, __builtin_cosf(x), __nvvm_cos_approx_f(x))
ASSAY_FLOAT_1(cosh, __builtin_coshf(x))
ASSAY_FAST_1(exp, __builtin_expf(x), __nvvm_ex2_approx_f(x * 0x1.715476p0f))
ASSAY_FAST_1(exp2, __builtin_exp2f(x), __nvvm_ex2_approx_f(x))
ASSAY_FLOAT_1(exp10, __builtin_exp10f(x))
ASSAY_FAST_1(log, __builtin_logf(x), __nvvm_lg2_approx_f(x) * 0x1.62e43p-1f)
ASSAY_FAST_1(log2, __builtin_log2f(x), __nvvm_lg2_approx_f(x))
ASSAY_FAST_1(log10, __builtin_log10f(x), __nvvm_lg2_approx_f(x) * 0x1.344136p-2f)
// In double the result is that of the exact one rounded, of each float: all mantissas were tried.
ASSAY_FAST_1(rsqrt, 1.0 / __builtin_sqrt(x), __nvvm_rsqrt_approx_f(x))
ASSAY_FAST_1(sin, __builtin_sinf(x), __nvvm_sin_approx_f(x))
ASSAY_FLOAT_1(sinh, __builtin_sinhf(x))
ASSAY_FAST_1(sqrt, __builtin_sqrtf(x), __nvvm_sqrt_approx_f(x))
ASSAY_FAST_1(tan, __builtin_tanf(x), __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)))
ASSAY_FLOAT_1(tanh, __builtin_tanhf(x))
ASSAY_FLOAT_2(atan2, __builtin_atan2f(x, y))
ASSAY_FAST_2(divide, x / y, __nvvm_div_approx_f(x, y))
ASSAY_FLOAT_2(fmod, __builtin_fmodf(x, y))
ASSAY_FLOAT_2(pow, __builtin_powf(x, y))
ASSAY_FAST_2(powr, x < 0 ? __builtin_nanf("") : __builtin_powf(x, y), __nvvm_ex2_approx_f(y* __nvvm_lg2_approx_f(x)))
namespace assay_detail {
/// The angle pi x less whole turns.
ASSAY_OWN double reduced_angle(float x) {
  return double(x - 2 * __builtin_rintf(x / 2)) * double(3.14159265358979323846264338327950288l);
}
}  // namespace assay_detail
ASSAY_FLOAT_1(sinpi, __builtin_sin(assay_detail::reduced_angle(x)))
ASSAY_FLOAT_1(cospi, __builtin_cos(assay_detail::reduced_angle(x)))
ASSAY_FLOAT_1(tanpi, __builtin_tan(assay_detail::reduced_angle(x)))
#endif
ASSAY_FLOAT_1(ceil, __builtin_ceilf(x))
ASSAY_FLOAT_1(fabs, __builtin_fabsf(x))
ASSAY_FLOAT_1(floor, __builtin_floorf(x))
ASSAY_FLOAT_1(fract, __builtin_fminf(x - __builtin_floorf(x), 0x1.fffffep-1f))
ASSAY_FLOAT_1(rint, __builtin_rintf(x))
ASSAY_FLOAT_1(round, __builtin_roundf(x))
ASSAY_FLOAT_1(trunc, __builtin_truncf(x))

ASSAY_FLOAT_1(saturate, __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f))
ASSAY_FLOAT_1(sign, x > 0 ? 1.0f : x < 0 ? -1.0f : x == 0 ? x : 0.0f)

ASSAY_FLOAT_2(copysign, __builtin_copysignf(x, y))
ASSAY_FLOAT_2(fdim, __builtin_fdimf(x, y))
ASSAY_FLOAT_2(fmax, __builtin_fmaxf(x, y))
ASSAY_FLOAT_2(fmin, __builtin_fminf(x, y))
ASSAY_FLOAT_2(step, y < x ? 0.0f : 1.0f)

ASSAY_FLOAT_3(fma, __builtin_fmaf(x, y, z))
ASSAY_FLOAT_3(fmax3, __builtin_fmaxf(__builtin_fmaxf(x, y), z))
ASSAY_FLOAT_3(fmin3, __builtin_fminf(__builtin_fminf(x, y), z))
ASSAY_FLOAT_3(fmedian3, __builtin_fmaxf(__builtin_fminf(x, y), __builtin_fminf(__builtin_fmaxf(x, y), z)))
ASSAY_FLOAT_3(mix, x + (y - x) * z)
namespace assay_detail {
ASSAY_OWN float smoothed(float t) {
  return t * t * (3 - 2 * t);
}
}  // namespace assay_detail
ASSAY_FLOAT_3(smoothstep, assay_detail::smoothed(assay_detail::saturate_of((z - x) / (y - x))))

namespace assay_detail {
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
ASSAY_ANY_1(abs, x < T(0) ? T(-x) : x == T(0) ? T(0) : x)
ASSAY_ANY_2(min, assay_detail::min_of_two(x, y))
ASSAY_ANY_2(max, assay_detail::max_of_two(x, y))
ASSAY_ANY_3(clamp, assay_detail::min_of_two(assay_detail::max_of_two(x, y), z))
ASSAY_ANY_3(mad, x* y + z)
ASSAY_ANY_3(min3, assay_detail::min_of_two(assay_detail::min_of_two(x, y), z))
ASSAY_ANY_3(max3, assay_detail::max_of_two(assay_detail::max_of_two(x, y), z))
ASSAY_ANY_3(median3, assay_detail::max_of_two(assay_detail::min_of_two(x, y),
                                              assay_detail::min_of_two(assay_detail::max_of_two(x, y), z)))
ASSAY_IN_ALL_PRECISIONS(abs)
ASSAY_IN_ALL_PRECISIONS(min)
ASSAY_IN_ALL_PRECISIONS(max)
ASSAY_IN_ALL_PRECISIONS(clamp)
ASSAY_IN_ALL_PRECISIONS(min3)
ASSAY_IN_ALL_PRECISIONS(max3)
ASSAY_IN_ALL_PRECISIONS(median3)

ASSAY_TEST_1(isfinite, __builtin_isfinite(x))
ASSAY_TEST_1(isinf, __builtin_isinf(x))
ASSAY_TEST_1(isnan, __builtin_isnan(x))
ASSAY_TEST_1(signbit, __builtin_signbit(x))
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

ASSAY_IN_ALL_PRECISIONS(distance)
ASSAY_IN_ALL_PRECISIONS(length)
ASSAY_IN_ALL_PRECISIONS(normalize)

}  // namespace metal
