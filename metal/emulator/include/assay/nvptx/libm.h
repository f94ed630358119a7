// The functions of C's mathematical library that clang calls in a shader for NVIDIA GPUs, which have none: those of
// functions.def, what they are computed by, and exact ones.
//
// Each is computed in double and rounded once, so it is within 0.51 units in the last place of float, also where the
// result is subnormal: the truncations stated below are at most 2^-32 of the result. Metal asks for 4 (Metal Shading
// Language Specification, section 8.4).
#pragma once

#include <assay/scalar.h>

namespace assay_shader_side::libm {

inline constexpr double ln2 = 0x1.62e42fefa39efp-1, pi = 0x1.921fb54442d18p1;
inline constexpr double infinity = __builtin_inf(), nan = __builtin_nan("");

ASSAY_OWN double multiply_add(double a, double b, double c) {
  return __nvvm_fma_rn_d(a, b, c);
}

/// c[0] + c[1] x + ... by Horner's rule.
template <int n>
ASSAY_OWN double polynomial(double x, const double (&c)[n]) {
  double sum = c[n - 1];
  for (int k = n - 2; k >= 0; --k) sum = multiply_add(sum, x, c[k]);
  return sum;
}

ASSAY_OWN double power_of_two(int k) {
  return __builtin_bit_cast(double, ulong(k + 1023) << 52);
}

/// 2^k exp(r) for |r| <= ln(2)/2 and |k| <= 1000: Taylor's polynomial, truncated at 2^-37.
ASSAY_OWN double scaled_exponential(double r, double k) {
  constexpr double c[] = {1,         1,         1.0 / 2,    1.0 / 6,     1.0 / 24,
                          1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880};
  return polynomial(r, c) * power_of_two(int(k));
}
ASSAY_OWN double exponential(double x) {
  if (x != x) return x;
  x = x > 700 ? 700 : x < -700 ? -700 : x;  // rounds to infinity and to 0 in float
  const double k = __builtin_rint(x / ln2);
  return scaled_exponential(multiply_add(-k, ln2, x), k);
}

/// 2 artanh(s) for |s| <= 0.18: its series, truncated at 2^-37.
ASSAY_OWN double twice_artanh(double s) {
  constexpr double c[] = {2, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13};
  return s * polynomial(s * s, c);
}
ASSAY_OWN double logarithm(double x) {
  if (!(x > 0)) return x == 0 ? -infinity : nan;
  if (x == infinity) return x;
  const ulong bits = __builtin_bit_cast(ulong, x);
  int k = int(bits >> 52) - 1023;
  double m = __builtin_bit_cast(double, (bits & (~0ul >> 12)) | 1023ul << 52);
  if (m > 0x1.6a09e667f3bcdp0) m /= 2, ++k;
  return multiply_add(k, ln2, twice_artanh((m - 1) / (m + 1)));
}
/// ln(1 + t) for t >= 0, without cancellation.
ASSAY_OWN double logarithm_of_one_plus(double t) {
  return t < 0.25 ? twice_artanh(t / (2 + t)) : logarithm(1 + t);
}

/// sin and cos for |r| <= pi/4: Taylor's polynomials, truncated at 2^-37.
ASSAY_OWN double sine(double r) {
  constexpr double c[] = {1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800};
  return r * polynomial(r * r, c);
}
ASSAY_OWN double cosine(double r) {
  constexpr double c[] = {1, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600};
  return polynomial(r * r, c);
}

struct Angle {
  double r;  ///< |r| <= pi/4, nearly
  uint quarter;
};
ASSAY_OWN Angle reduced(double x) {
  const double k = __builtin_rint(x / (pi / 2));
  const double r = multiply_add(-k, 0x1.1a62633145c07p-54, multiply_add(-k, pi / 2, x));
  return {r, uint(int(k))};
}

/// The same for |x| >= 2^28, by the bits of 2/pi that matter (Payne and Hanek): the bits before them give whole turns.
ASSAY_OWN Angle reduced_large(float x) {
  constexpr ulong two_over_pi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561};
  const uint bits = __builtin_bit_cast(uint, x);
  const ulong m = (bits & 0x7fffffu) | 0x800000u;  // |x| = m 2^exponent
  const uint skipped = (bits >> 23 & 255) - 150 - 2, word = skipped / 64, shift = skipped % 64;
  const auto from = [&](uint n) {
    return shift == 0 ? two_over_pi[n] : two_over_pi[n] << shift | two_over_pi[n + 1] >> (64 - shift);
  };
  const __uint128_t quarters =
      (static_cast<__uint128_t>(from(word) * m) << 64) + static_cast<__uint128_t>(from(word + 1)) * m;
  const long fraction = long(ulong(quarters >> 62));
  const uint quarter = uint(ulong(quarters >> 126)) + (fraction < 0 ? 1 : 0);
  const double r = double(fraction) * 0x1p-64 * (pi / 2);
  return (bits >> 31) != 0 ? Angle{-r, 0u - quarter} : Angle{r, quarter};
}
ASSAY_OWN Angle angle_of(float x) {
  return __builtin_fabsf(x) < 0x1p28f ? reduced(x) : reduced_large(x);
}
ASSAY_OWN double sine_of(const Angle& a, uint quarters_ahead) {
  const uint quarter = (a.quarter + quarters_ahead) % 4;
  const double value = quarter % 2 == 0 ? sine(a.r) : cosine(a.r);
  return quarter < 2 ? value : -value;
}

/// atan for x >= 0: reduced to [0, tan(pi/12)], where the series is truncated at 2^-37.
ASSAY_OWN double arctangent(double x) {
  constexpr double root_3 = 0x1.bb67ae8584caap0;
  const bool is_large = x > 1;
  double t = is_large ? 1 / x : x;
  const bool is_wide = t > 0.2679491924311227;
  if (is_wide) t = multiply_add(t, root_3, -1) / (t + root_3);
  constexpr double c[] = {1, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17};
  const double angle = t * polynomial(t * t, c) + (is_wide ? pi / 6 : 0);
  return is_large ? pi / 2 - angle : angle;
}
ASSAY_OWN double with_sign(double magnitude, float sign) {
  return __builtin_copysign(magnitude, sign);
}
ASSAY_OWN double hyperbolic_sine(double x) {  // x >= 0
  constexpr double c[] = {1, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880, 1.0 / 39916800};
  return x < 0.5 ? x * polynomial(x * x, c) : (exponential(x) - exponential(-x)) / 2;
}

ASSAY_OWN double hyperbolic_tangent(double x) {  // x >= 0
  return x > 20 ? 1.0 : 2 * hyperbolic_sine(x) / (exponential(x) + exponential(-x));
}
ASSAY_OWN double area_sine(double x) {  // x >= 0
  return logarithm_of_one_plus(x + x * x / (1 + __nvvm_sqrt_rn_d(1 + x * x)));
}
ASSAY_OWN double area_cosine(double x) {  // x >= 1
  return logarithm_of_one_plus((x - 1) + __nvvm_sqrt_rn_d((x - 1) * (x + 1)));
}
ASSAY_OWN double area_tangent(double x) {  // 0 <= x <= 1
  return logarithm_of_one_plus(2 * x / (1 - x)) / 2;
}
/// atan2(y, x)
ASSAY_OWN double full_angle(float y, float x) {
  if (x != x || y != y) return x + y;
  const double a = __builtin_fabsf(y), b = __builtin_fabsf(x);
  const double ratio = a == b ? (a == 0 ? 0 : 1) : a / b;
  const double angle = a == 0 ? 0 : arctangent(ratio);
  return with_sign(__builtin_signbit(x) ? pi - angle : angle, y);
}
ASSAY_OWN double power(float x, float y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return x + y;
  const float magnitude = __builtin_fabsf(x), half_y = y / 2;
  const bool is_whole = __builtin_truncf(y) == y, is_odd = is_whole && __builtin_truncf(half_y) != half_y;
  const bool is_infinite = y - y != 0;
  if (is_infinite && magnitude == 1) return 1;
  if (x < 0 && !is_whole && magnitude != float(infinity)) return nan;
  const double value = exponential(y * logarithm(magnitude));
  return __builtin_signbit(x) && is_odd ? -value : value;
}

}  // namespace assay_shader_side::libm

extern "C" inline float fmaf(float x, float y, float z) {
  return __nvvm_fma_rn_f(x, y, z);
}
extern "C" inline double sqrt(double x) {
  return __nvvm_sqrt_rn_d(x);
}
extern "C" inline double sin(double x) {
  return assay_shader_side::libm::sine_of(assay_shader_side::libm::reduced(x), 0);
}
extern "C" inline double cos(double x) {
  return assay_shader_side::libm::sine_of(assay_shader_side::libm::reduced(x), 1);
}
extern "C" inline double tan(double x) {
  return sin(x) / cos(x);
}
extern "C" inline float fdimf(float x, float y) {
  return x != x || y != y ? x + y : x > y ? x - y : 0;
}
extern "C" inline float ldexpf(float x, int exponent) {
  const int k = exponent > 400 ? 400 : exponent < -400 ? -400 : exponent;
  return float(double(x) * assay_shader_side::libm::power_of_two(k));
}
extern "C" inline float frexpf(float x, int* exponent) {
  *exponent = 0;
  if (x == 0 || x - x != 0) return x;
  const ulong bits = __builtin_bit_cast(ulong, double(x));
  *exponent = int(bits >> 52 & 2047) - 1022;
  return float(__builtin_bit_cast(double, (bits & ~(2047ul << 52)) | 1022ul << 52));
}
extern "C" inline int ilogbf(float x) {
  int exponent = 0;
  if (x == 0) return -__INT_MAX__ - 1;
  if (x - x != 0) return x != x ? -__INT_MAX__ - 1 : __INT_MAX__;
  frexpf(x, &exponent);
  return exponent - 1;
}
extern "C" inline float modff(float x, float* whole) {
  *whole = __builtin_truncf(x);
  return __builtin_copysignf(x - x != 0 && x == x ? 0 : x - *whole, x);
}

namespace assay_shader_side::libm {

/// By long division of the mantissas, a bit a step: exact.
ASSAY_OWN float remainder(float x, float y) {
  if (y == 0 || x - x != 0 || y != y) return float(nan);
  int high = 0, low = 0;
  const uint divisor = uint(frexpf(__builtin_fabsf(y), &low) * 0x1p24f);
  uint rest = uint(frexpf(__builtin_fabsf(x), &high) * 0x1p24f);
  if (y - y != 0 || high < low) return x;
  for (int k = high - low; k >= 0; --k) {
    if (rest >= divisor) rest -= divisor;
    if (k > 0) rest *= 2;
  }
  return __builtin_copysignf(ldexpf(float(rest), low - 24), x);
}

}  // namespace assay_shader_side::libm

#define MSL_LIBM_1(name, exact, ulps, kind, fast, slope, gpu, ...) \
  extern "C" inline float name##f(float x) {                       \
    using namespace assay_shader_side;                             \
    using namespace libm;                                          \
    return float(gpu);                                             \
  }
#define MSL_LIBM_2(name, exact, ulps, fast, slope_x, slope_y, gpu, ...) \
  extern "C" inline float name##f(float x, float y) {                   \
    using namespace assay_shader_side;                                  \
    using namespace libm;                                               \
    return float(gpu);                                                  \
  }
#include <assay/functions.def>
