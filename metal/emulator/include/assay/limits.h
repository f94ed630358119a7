// numeric_limits and the macros of <metal_limits> and <metal_math>: Metal Shading Language Specification, sections 6.2
// and 6.5.
#pragma once

#include <assay/bfloat.h>

namespace metal {

template <class T>
struct _numeric_limits_impl {
  static constexpr bool is_specialized = false;
};

#define ASSAY_INTEGER_LIMITS(T)                                                                \
  template <>                                                                                  \
  struct _numeric_limits_impl<T> {                                                             \
    static constexpr bool is_specialized = true, is_integer = true, is_exact = true;           \
    static constexpr bool is_signed = T(-1) < T(0), is_modulo = !is_signed, is_bounded = true; \
    static constexpr bool has_infinity = false, has_quiet_NaN = false, is_iec559 = false;      \
    static constexpr int digits = __is_same(T, bool) ? 1 : int(sizeof(T) * 8) - is_signed;     \
    static constexpr int digits10 = digits * 30103 / 100000, radix = 2;                        \
    static constexpr T min() {                                                                 \
      return is_signed ? T(1ul << (digits % 64)) : T(0);                                       \
    }                                                                                          \
    static constexpr T max() {                                                                 \
      return T(~0ul >> (64 - digits));                                                         \
    }                                                                                          \
    static constexpr T lowest() {                                                              \
      return min();                                                                            \
    }                                                                                          \
    static constexpr T epsilon() {                                                             \
      return T(0);                                                                             \
    }                                                                                          \
    static constexpr T infinity() {                                                            \
      return T(0);                                                                             \
    }                                                                                          \
    static constexpr T quiet_NaN() {                                                           \
      return T(0);                                                                             \
    }                                                                                          \
  };
ASSAY_INTEGER_LIMITS(bool)
ASSAY_INTEGER_LIMITS(char)
ASSAY_INTEGER_LIMITS(int8_t)
ASSAY_INTEGER_LIMITS(uchar)
ASSAY_INTEGER_LIMITS(short)
ASSAY_INTEGER_LIMITS(ushort)
ASSAY_INTEGER_LIMITS(int)
ASSAY_INTEGER_LIMITS(uint)
ASSAY_INTEGER_LIMITS(long)
ASSAY_INTEGER_LIMITS(ulong)

/// The last four parameters: the largest, the smallest normal and the smallest number, and the distance from 1 to the
/// next number.
#define ASSAY_FLOATING_LIMITS(T, digits_, digits10_, max_exponent_, largest, smallest, denormal, step) \
  template <>                                                                                          \
  struct _numeric_limits_impl<T> {                                                                     \
    static constexpr bool is_specialized = true, is_integer = false, is_exact = false;                 \
    static constexpr bool is_signed = true, is_modulo = false, is_bounded = true;                      \
    static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true;                 \
    static constexpr int digits = digits_, digits10 = digits10_, radix = 2;                            \
    static constexpr int max_exponent = max_exponent_, min_exponent = 3 - max_exponent_;               \
    static constexpr int max_digits10 = 2 + digits_ * 30103 / 100000;                                  \
    static constexpr T min() {                                                                         \
      return T(smallest);                                                                              \
    }                                                                                                  \
    static constexpr T max() {                                                                         \
      return T(largest);                                                                               \
    }                                                                                                  \
    static constexpr T lowest() {                                                                      \
      return T(-largest);                                                                              \
    }                                                                                                  \
    static constexpr T epsilon() {                                                                     \
      return T(step);                                                                                  \
    }                                                                                                  \
    static constexpr T round_error() {                                                                 \
      return T(0.5f);                                                                                  \
    }                                                                                                  \
    static constexpr T infinity() {                                                                    \
      return T(__builtin_inff());                                                                      \
    }                                                                                                  \
    static constexpr T quiet_NaN() {                                                                   \
      return T(__builtin_nanf(""));                                                                    \
    }                                                                                                  \
    static constexpr T signaling_NaN() {                                                               \
      return T(__builtin_nanf(""));                                                                    \
    }                                                                                                  \
    static constexpr T denorm_min() {                                                                  \
      return T(denormal);                                                                              \
    }                                                                                                  \
  };
ASSAY_FLOATING_LIMITS(half, 11, 3, 16, 0x1.ffcp15f, 0x1p-14f, 0x1p-24f, 0x1p-10f)
ASSAY_FLOATING_LIMITS(float, 24, 6, 128, 0x1.fffffep127f, 0x1p-126f, 0x1p-149f, 0x1p-23f)
#if __METAL_VERSION__ >= 310
ASSAY_FLOATING_LIMITS(bfloat, 8, 2, 128, 0x1.fep127f, 0x1p-126f, 0x1p-133f, 0x1p-7f)
#endif
template <class T>
struct _numeric_limits_impl<const T> : _numeric_limits_impl<T> {};

/// Apple's headers spell the base so, and published shaders specialise it.
template <class T>
struct numeric_limits : _numeric_limits_impl<T> {};

}  // namespace metal

#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define UCHAR_MAX 255
#define CHAR_MAX SCHAR_MAX
#define CHAR_MIN SCHAR_MIN
#define USHRT_MAX 65535
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define UINT_MAX 0xffffffffu
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define ULONG_MAX 0xfffffffffffffffful
#define LONG_MAX 0x7fffffffffffffffl
#define LONG_MIN (-LONG_MAX - 1l)

#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1p-126f
#define FLT_EPSILON 0x1p-23f
#define FLT_RADIX 2
#define FLT_MAX_EXP 128
#define FLT_MIN_EXP (-125)
#define FLT_DECIMAL_DIG 9
#define HALF_DIG 3
#define HALF_MANT_DIG 11
#define HALF_MAX ((half)0x1.ffcp15f)
#define HALF_MIN ((half)0x1p-14f)
#define HALF_EPSILON ((half)0x1p-10f)
#define HALF_MAX_EXP 16
#define HALF_MIN_EXP (-13)

#define MAXFLOAT FLT_MAX
#define HUGE_VALF __builtin_inff()
#define HUGE_VALH ((half)__builtin_inff())
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define MAXHALF HALF_MAX
#define FP_ILOGB0 (-INT_MAX - 1)
#define FP_ILOGBNAN (-INT_MAX - 1)

#define M_E_F 2.71828182845904523536028747135266250f
#define M_LOG2E_F 1.44269504088896340735992468100189214f
#define M_LOG10E_F 0.434294481903251827651128918916605082f
#define M_LN2_F 0.693147180559945309417232121458176568f
#define M_LN10_F 2.30258509299404568401799145468436421f
#define M_PI_F 3.14159265358979323846264338327950288f
#define M_PI_2_F 1.57079632679489661923132169163975144f
#define M_PI_4_F 0.785398163397448309615660845819875721f
#define M_1_PI_F 0.318309886183790671537767526745028724f
#define M_2_PI_F 0.636619772367581343075535053490057448f
#define M_2_SQRTPI_F 1.12837916709551257389615890312154517f
#define M_SQRT2_F 1.41421356237309504880168872420969808f
#define M_SQRT1_2_F 0.707106781186547524400844362104849039f
#define M_E_H ((half)M_E_F)
#define M_LOG2E_H ((half)M_LOG2E_F)
#define M_LOG10E_H ((half)M_LOG10E_F)
#define M_LN2_H ((half)M_LN2_F)
#define M_LN10_H ((half)M_LN10_F)
#define M_PI_H ((half)M_PI_F)
#define M_PI_2_H ((half)M_PI_2_F)
#define M_PI_4_H ((half)M_PI_4_F)
#define M_1_PI_H ((half)M_1_PI_F)
#define M_2_PI_H ((half)M_2_PI_F)
#define M_SQRT2_H ((half)M_SQRT2_F)
#define M_SQRT1_2_H ((half)M_SQRT1_2_F)
