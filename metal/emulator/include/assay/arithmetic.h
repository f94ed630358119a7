// The functions of float under the roundings that Metal permits: Metal Shading Language Specification, section 8.4.
//
// precise:: functions are as far from the exact result as table 8.1 allows, fast:: functions as table 8.2 allows, or
// are composed as that table says. A function's result is a function of its operands and ASSAY_SEED: these decide on
// which side of the exact result it lies. Without a namespace they are precise under safe arithmetic and fast under
// relaxed and fast arithmetic. half has the precise ones.
#pragma once

#include <assay/elementwise.h>

// The functions from here to `pop` are not subject to the arithmetic that they make.
#pragma float_control(precise, on, push)

namespace assay_shader_side::arithmetic {

inline constexpr double largest = 0x1.fffffep127, ulp_of_one = 0x1p-23, pi = 0x1.921fb54442d18p1;

ASSAY_OWN double distance(double a, double b) {
  return __builtin_fabs(a - b);
}

/// The distance of two neighbouring floats at x.
ASSAY_OWN double ulp(double x) {
  const double size = __builtin_fabs(x);
  return size < 0x1p-126 ? 0x1p-149 : size > largest ? 0x1p104 : __builtin_ldexp(ulp_of_one, __builtin_ilogb(size));
}

/// Whether results lie above or below the exact one, and what stands for a result that is not specified.
ASSAY_OWN uint chance(uint function, float x, float y = 0) {
  ulong z = (ulong(__builtin_bit_cast(uint, x)) << 32 | __builtin_bit_cast(uint, y)) +
            (ulong(ASSAY_SEED) << 8 | function) * 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return uint(z >> 63);
}

/// A float at the edge of what `error` allows: one of the two that are farthest from `exact`.
ASSAY_OWN float at_edge(double exact, double error, uint chance) {
  if (!(__builtin_fabs(exact) <= largest)) return float(exact);
  float result = float(chance != 0 ? exact + error : exact - error);
  if (distance(result, exact) <= error) return result;
  const uint bits = __builtin_bit_cast(uint, result);
  const bool is_larger = __builtin_fabs(double(result)) > __builtin_fabs(exact);
  result = __builtin_bit_cast(float, is_larger ? bits - 1 : bits + 1);
  return distance(result, exact) <= error ? result : float(exact);
}

/// Results that a float can hold are exact, as exp(0) and log(1) are in every library: Metal does not say so.
ASSAY_OWN double precise_error(double exact, double ulps) {
  return double(float(exact)) == exact ? 0 : ulps * ulp(exact);
}

/// The error of a sine or cosine: 2^-13 from -bound to bound. Metal says that it is larger elsewhere, and not how
/// large: here it grows with x, up to 1.
ASSAY_OWN double trigonometric_error(double x, double bound) {
  return __builtin_fmin(0x1p-13 * __builtin_fmax(__builtin_fabs(x) / bound, 1), 1);
}

ASSAY_OWN double logarithmic_error(double x, double absolute, double ulps, double exact) {
  return x >= 0.5 && x <= 2 ? absolute : ulps * ulp(exact);
}

ASSAY_OWN float unspecified(uint chance) {
  return chance != 0 ? __builtin_nanf("") : 1.0f;
}

/// The angle pi x less whole turns.
ASSAY_OWN double angle(double x) {
  return (x - 2 * __builtin_rint(x / 2)) * pi;
}
ASSAY_OWN double sin_of_pi_times(double x) {
  return __builtin_sin(angle(x));
}
ASSAY_OWN double cos_of_pi_times(double x) {
  return __builtin_cos(angle(x));
}
ASSAY_OWN double tan_of_pi_times(double x) {
  return __builtin_tan(angle(x));
}

}  // namespace assay_shader_side::arithmetic

// numerics/known_functions.cpp knows them by their names.
#define ASSAY_MATH extern "C" __attribute__((used, visibility("hidden"))) ASSAY_OWN

/// assay_math_name(x), at the edge of `error`, in which `exact` is the exact result.
#define ASSAY_MATH_1(name, function, error)                                                  \
  ASSAY_MATH float assay_math_##name(float argument) {                                       \
    using namespace assay_shader_side::arithmetic;                                           \
    const double x = argument, exact = function(x);                                          \
    return at_edge(exact, __builtin_isfinite(x) ? error : 0, chance(__COUNTER__, argument)); \
  }
#define ASSAY_MATH_PRECISE_1(name, function, ulps) ASSAY_MATH_1(name, function, precise_error(exact, ulps))
#define ASSAY_MATH_PRECISE_2(name, function, ulps)                                \
  ASSAY_MATH float assay_math_##name(float x, float y) {                          \
    using namespace assay_shader_side::arithmetic;                                \
    const double exact = function(double(x), double(y));                          \
    return at_edge(exact, precise_error(exact, ulps), chance(__COUNTER__, x, y)); \
  }

/// Under fast arithmetic what becomes of NaN and infinities is not specified.
#if ASSAY_ARITHMETIC == 3
#define ASSAY_MATH_FAST_1(name, function, error)                                                        \
  ASSAY_MATH_1(name##_finite, function, error)                                                          \
  ASSAY_MATH float assay_math_fast_##name(float x) {                                                    \
    using namespace assay_shader_side::arithmetic;                                                      \
    return __builtin_isfinite(x) ? assay_math_##name##_finite(x) : unspecified(chance(__COUNTER__, x)); \
  }
#else
#define ASSAY_MATH_FAST_1(name, function, error) ASSAY_MATH_1(fast_##name, function, error)
#endif

ASSAY_MATH_PRECISE_1(acos, __builtin_acos, 4)
ASSAY_MATH_PRECISE_1(acosh, __builtin_acosh, 4)
ASSAY_MATH_PRECISE_1(asin, __builtin_asin, 4)
ASSAY_MATH_PRECISE_1(asinh, __builtin_asinh, 4)
ASSAY_MATH_PRECISE_1(atan, __builtin_atan, 5)
ASSAY_MATH_PRECISE_1(atanh, __builtin_atanh, 5)
ASSAY_MATH_PRECISE_1(cos, __builtin_cos, 4)
ASSAY_MATH_PRECISE_1(cosh, __builtin_cosh, 4)
ASSAY_MATH_PRECISE_1(exp, __builtin_exp, 4)
ASSAY_MATH_PRECISE_1(exp2, __builtin_exp2, 4)
ASSAY_MATH_PRECISE_1(exp10, __builtin_exp10, 4)
ASSAY_MATH_PRECISE_1(log, __builtin_log, 4)
ASSAY_MATH_PRECISE_1(log2, __builtin_log2, 4)
ASSAY_MATH_PRECISE_1(log10, __builtin_log10, 4)
ASSAY_MATH_PRECISE_1(sin, __builtin_sin, 4)
ASSAY_MATH_PRECISE_1(sinh, __builtin_sinh, 4)
ASSAY_MATH_PRECISE_1(sinpi, sin_of_pi_times, 4)
ASSAY_MATH_PRECISE_1(cospi, cos_of_pi_times, 4)
ASSAY_MATH_PRECISE_1(tanpi, tan_of_pi_times, 6)
ASSAY_MATH_PRECISE_1(tan, __builtin_tan, 6)
ASSAY_MATH_PRECISE_1(tanh, __builtin_tanh, 5)
ASSAY_MATH_PRECISE_2(atan2, __builtin_atan2, 6)
ASSAY_MATH_PRECISE_2(pow, __builtin_pow, 16)

ASSAY_MATH_FAST_1(acos, __builtin_acos, 5 * ulp(exact))
ASSAY_MATH_FAST_1(asin, __builtin_asin, 5 * ulp(exact))
ASSAY_MATH_FAST_1(atan, __builtin_atan, 5 * ulp(exact))
ASSAY_MATH_FAST_1(cos, __builtin_cos, trigonometric_error(x, pi))
ASSAY_MATH_FAST_1(exp, __builtin_exp, (3 + __builtin_floor(__builtin_fabs(2 * x))) * ulp(exact))
ASSAY_MATH_FAST_1(exp2, __builtin_exp2, (3 + __builtin_floor(__builtin_fabs(2 * x))) * ulp(exact))
ASSAY_MATH_FAST_1(log, __builtin_log, logarithmic_error(x, 0x1p-21, 3, exact))
ASSAY_MATH_FAST_1(log2, __builtin_log2, logarithmic_error(x, 0x1p-22, 2, exact))
ASSAY_MATH_FAST_1(rsqrt, 1 / __builtin_sqrt, 2 * ulp(exact))
ASSAY_MATH_FAST_1(sin, __builtin_sin, trigonometric_error(x, pi))
ASSAY_MATH_FAST_1(sinpi, sin_of_pi_times, trigonometric_error(x, 1))
ASSAY_MATH_FAST_1(cospi, cos_of_pi_times, trigonometric_error(x, 1))

/// x / y where the compiler may use a reciprocal: numerics/inexact_division.h. The error is 2.5 units, or 1 for 1 / y.
/// Metal states none beyond 2^126, where the reciprocal is subnormal and may be flushed to zero.
ASSAY_MATH float assay_math_divide(float x, float y) {
  using namespace assay_shader_side::arithmetic;
  const double exact = double(x) / double(y), size = __builtin_fabs(double(y));
  if (size > 0x1p126 && size <= largest) return x * __builtin_copysignf(0, y);
  return at_edge(exact, (x == 1 || x == -1 ? 1 : 2.5) * ulp(exact), chance(__COUNTER__, x, y));
}

ASSAY_MATH float assay_math_quotient(float x, float y) {
  return x / y;
}

#pragma float_control(pop)

namespace metal {

#if ASSAY_ARITHMETIC == 1
#define ASSAY_WITHOUT_NAMESPACE precise
#else
#define ASSAY_WITHOUT_NAMESPACE fast
#endif

/// name(x) in `precise` and `fast`.
#define ASSAY_ROUNDED_IN(where, n, name, expression)                                                \
  namespace where {                                                                                 \
  ASSAY_FLOAT_FUNCTION_##n(name, expression) namespace of_any{                                      \
      ASSAY_ELEMENTWISE_##n(name, metal::where::assay_detail::name##_of,                            \
                            metal::precise::assay_detail::name##_of)} ASSAY_OF_FLOATS(name, of_any) \
  }
#define ASSAY_ROUNDED_1(name, precisely, fast_expression) \
  ASSAY_ROUNDED_IN(precise, 1, name, precisely)           \
  ASSAY_ROUNDED_IN(fast, 1, name, fast_expression)        \
  using ASSAY_WITHOUT_NAMESPACE::of_any::name;
#define ASSAY_ROUNDED_2(name, precisely, fast_expression) \
  ASSAY_ROUNDED_IN(precise, 2, name, precisely)           \
  ASSAY_ROUNDED_IN(fast, 2, name, fast_expression)        \
  using ASSAY_WITHOUT_NAMESPACE::of_any::name;

ASSAY_ROUNDED_1(exp, assay_math_exp(x), assay_math_fast_exp(x))
ASSAY_ROUNDED_1(exp2, assay_math_exp2(x), assay_math_fast_exp2(x))
ASSAY_ROUNDED_1(exp10, assay_math_exp10(x), exp2_of(x * 0x1.a934f0p1f))
ASSAY_ROUNDED_1(log, assay_math_log(x), assay_math_fast_log(x))
ASSAY_ROUNDED_1(log2, assay_math_log2(x), assay_math_fast_log2(x))
ASSAY_ROUNDED_1(log10, assay_math_log10(x), log2_of(x) * 0x1.344136p-2f)
ASSAY_ROUNDED_1(rsqrt, 1.0 / __builtin_sqrt(x), assay_math_fast_rsqrt(x))
ASSAY_ROUNDED_1(sqrt, __builtin_sqrtf(x), x == 0 || x == __builtin_inff() ? x : x * rsqrt_of(x))
ASSAY_ROUNDED_1(sin, assay_math_sin(x), assay_math_fast_sin(x))
ASSAY_ROUNDED_1(cos, assay_math_cos(x), assay_math_fast_cos(x))
ASSAY_ROUNDED_1(tan, assay_math_tan(x), sin_of(x) * (1.0f / cos_of(x)))
ASSAY_ROUNDED_1(sinpi, assay_math_sinpi(x), assay_math_fast_sinpi(x))
ASSAY_ROUNDED_1(cospi, assay_math_cospi(x), assay_math_fast_cospi(x))
ASSAY_ROUNDED_1(tanpi, assay_math_tanpi(x), tan_of(x * 0x1.921fb6p1f))
ASSAY_ROUNDED_1(acos, assay_math_acos(x), assay_math_fast_acos(x))
ASSAY_ROUNDED_1(asin, assay_math_asin(x), assay_math_fast_asin(x))
ASSAY_ROUNDED_1(atan, assay_math_atan(x), assay_math_fast_atan(x))
ASSAY_ROUNDED_1(acosh, assay_math_acosh(x), log_of(x + sqrt_of(x * x - 1.0f)))
ASSAY_ROUNDED_1(asinh, assay_math_asinh(x), log_of(x + sqrt_of(x * x + 1.0f)))
ASSAY_ROUNDED_1(atanh, assay_math_atanh(x), 0.5f * log_of((1.0f + x) / (1.0f - x)))
ASSAY_ROUNDED_1(cosh, assay_math_cosh(x), 0.5f * (exp_of(x) + exp_of(-x)))
ASSAY_ROUNDED_1(sinh, assay_math_sinh(x), 0.5f * (exp_of(x) - exp_of(-x)))
namespace fast::assay_detail {
ASSAY_OWN float tanh_of_exp(float t) {
  return (t - 1.0f) / (t + 1.0f);
}
}  // namespace fast::assay_detail
ASSAY_ROUNDED_1(tanh, assay_math_tanh(x), tanh_of_exp(exp_of(2.0f * x)))
ASSAY_ROUNDED_2(divide, assay_math_quotient(x, y), assay_math_divide(x, y))
ASSAY_ROUNDED_2(pow, assay_math_pow(x, y), exp2_of(y* log2_of(x)))
ASSAY_ROUNDED_2(powr, x < 0 ? __builtin_nanf("") : assay_math_pow(x, y), exp2_of(y* log2_of(x)))
namespace fast::assay_detail {
/// x is the first argument of atan2(y, x) here, as in the macros.
ASSAY_OWN float angle_of(float x, float y) {
  using namespace assay_shader_side::arithmetic;
  constexpr float half_turn = 0x1.921fb6p1f;
  if (x == 0 || y == 0) return unspecified(chance(__COUNTER__, x, y));
  const float angle = atan_of(x / y);
  return y > 0 ? angle : x > 0 ? angle + half_turn : angle - half_turn;
}
}  // namespace fast::assay_detail
ASSAY_ROUNDED_2(atan2, assay_math_atan2(x, y), angle_of(x, y))
ASSAY_ROUNDED_2(fmod, __builtin_fmodf(x, y), x - y * __builtin_truncf(x / y))

#undef ASSAY_ROUNDED_IN
#undef ASSAY_ROUNDED_1
#undef ASSAY_ROUNDED_2
#undef ASSAY_WITHOUT_NAMESPACE

}  // namespace metal
#undef ASSAY_MATH_1
#undef ASSAY_MATH_PRECISE_1
#undef ASSAY_MATH_PRECISE_2
#undef ASSAY_MATH_FAST_1
#undef ASSAY_MATH
