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

/// Tells functions apart.
constexpr uint number_of(const char* name) {
  uint number = 2166136261u;
  for (; *name != 0; ++name) number = (number ^ static_cast<unsigned char>(*name)) * 16777619u;
  return number;
}

/// Whether results lie above or below the exact one, and what stands for a result that is not specified.
ASSAY_OWN uint chance(uint function, float x, float y = 0) {
  ulong z = (ulong(__builtin_bit_cast(uint, x)) << 32 | __builtin_bit_cast(uint, y)) +
            (ulong(ASSAY_SEED) << 8 ^ function) * 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return uint(z >> 63);
}

/// A float at the edge of what `error` allows: one of the two that are farthest from `exact`.
ASSAY_OWN float at_edge(double exact, double error, uint chance) {
  if (!(error > 0 && __builtin_fabs(exact) <= largest)) return float(exact);
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

}  // namespace assay_shader_side::arithmetic

// numerics/known_functions.cpp knows them by their names.
#define ASSAY_MATH extern "C" __attribute__((used, visibility("hidden"))) ASSAY_OWN

/// assay_math_name(x), at the edge of `error`, in which `exact` is the exact result.
#define ASSAY_MATH_1(name, exact_of_x, error)                                                     \
  ASSAY_MATH float assay_math_##name(float argument) {                                            \
    using namespace assay_shader_side::arithmetic;                                                \
    const double x = argument, exact = exact_of_x;                                                \
    return at_edge(exact, __builtin_isfinite(x) ? error : 0, chance(number_of(#name), argument)); \
  }
#define MSL_ROUNDED_1(name, in_float, exact_of_x, ulps, kind, fast, ...) \
  ASSAY_MATH_1(name, exact_of_x, precise_error(exact, ulps))             \
  ASSAY_MATH_##kind(name, exact_of_x, fast)
#define MSL_ROUNDED_2(name, in_float, exact_of_xy, ulps, ...)                                      \
  ASSAY_MATH float assay_math_##name(float argument, float second) {                               \
    using namespace assay_shader_side::arithmetic;                                                 \
    const double x = argument, y = second, exact = exact_of_xy;                                    \
    return at_edge(exact, precise_error(exact, ulps), chance(number_of(#name), argument, second)); \
  }
#define ASSAY_MATH_COMPOSED(name, exact_of_x, composition)
/// Under fast arithmetic what becomes of NaN and infinities is not specified.
#if ASSAY_ARITHMETIC == 3
#define ASSAY_MATH_STATED(name, exact_of_x, error)                                                           \
  ASSAY_MATH_1(name##_finite, exact_of_x, error)                                                             \
  ASSAY_MATH float assay_math_fast_##name(float x) {                                                         \
    using namespace assay_shader_side::arithmetic;                                                           \
    return __builtin_isfinite(x) ? assay_math_##name##_finite(x) : unspecified(chance(number_of(#name), x)); \
  }
#else
#define ASSAY_MATH_STATED(name, exact_of_x, error) ASSAY_MATH_1(fast_##name, exact_of_x, error)
#endif
#include <assay/functions.def>

/// x / y where the compiler may use a reciprocal: numerics/inexact_division.h. The error is 2.5 units, or 1 for 1 / y.
/// Metal states none beyond 2^126, where the reciprocal is subnormal and may be flushed to zero.
ASSAY_MATH float assay_math_fast_divide(float x, float y) {
  using namespace assay_shader_side::arithmetic;
  const double exact = double(x) / double(y), size = __builtin_fabs(double(y));
  if (size > 0x1p126 && size <= largest) return x * __builtin_copysignf(0, y);
  return at_edge(exact, (x == 1 || x == -1 ? 1 : 2.5) * ulp(exact), chance(number_of("fast_divide"), x, y));
}

#pragma float_control(pop)

namespace metal {

#if ASSAY_ARITHMETIC == 1
#define ASSAY_WITHOUT_NAMESPACE precise
#else
#define ASSAY_WITHOUT_NAMESPACE fast
#endif

namespace fast::assay_detail {

#define MSL_ROUNDED_1(name, ...) ASSAY_OWN float name##_of(float x);
#define MSL_ROUNDED_2(name, ...) ASSAY_OWN float name##_of(float x, float y);
#include <assay/functions.def>

ASSAY_OWN float tanh_of_exp(float t) {
  return (t - 1.0f) / (t + 1.0f);
}
/// x is the first argument of atan2(y, x) here, as in the table.
ASSAY_OWN float angle_of(float x, float y) {
  using namespace assay_shader_side::arithmetic;
  constexpr float half_turn = 0x1.921fb6p1f;
  if (x == 0 || y == 0) return unspecified(chance(number_of("atan2"), x, y));
  const float angle = atan_of(x / y);
  return y > 0 ? angle : x > 0 ? angle + half_turn : angle - half_turn;
}

}  // namespace fast::assay_detail

/// name(x) in `precise` and `fast`.
#define ASSAY_ROUNDED_IN(where, n, name, expression)                                                \
  namespace where {                                                                                 \
  ASSAY_FLOAT_FUNCTION_##n(name, expression) namespace of_any{                                      \
      ASSAY_ELEMENTWISE_##n(name, metal::where::assay_detail::name##_of,                            \
                            metal::precise::assay_detail::name##_of)} ASSAY_OF_FLOATS(name, of_any) \
  }
#define MSL_ROUNDED_1(name, in_float, exact, ulps, kind, fast_expression, ...) \
  ASSAY_ROUNDED_IN(precise, 1, name, assay_math_##name(x))                     \
  ASSAY_ROUNDED_IN(fast, 1, name, ASSAY_FAST_##kind(name, fast_expression))    \
  using ASSAY_WITHOUT_NAMESPACE::of_any::name;
#define MSL_ROUNDED_2(name, in_float, exact, ulps, composition, ...) \
  ASSAY_ROUNDED_IN(precise, 2, name, assay_math_##name(x, y))        \
  ASSAY_ROUNDED_IN(fast, 2, name, composition)                       \
  using ASSAY_WITHOUT_NAMESPACE::of_any::name;
#define ASSAY_FAST_STATED(name, error) assay_math_fast_##name(x)
#define ASSAY_FAST_COMPOSED(name, composition) composition
#include <assay/functions.def>

#undef ASSAY_FAST_COMPOSED
#undef ASSAY_FAST_STATED
#undef ASSAY_ROUNDED_IN
#undef ASSAY_WITHOUT_NAMESPACE

}  // namespace metal
#undef ASSAY_MATH_STATED
#undef ASSAY_MATH_COMPOSED
#undef ASSAY_MATH_1
#undef ASSAY_MATH
