// Narrow<p, min_exponent, max_exponent>: IEEE 754 binary floating point of p significant bits, p <= 53, and normal
// exponents from `min_exponent` to `max_exponent`, with gradual underflow:
//
//   Half <11, -14, 15>,   BFloat16 <8, -126, 127>,   Single <24, -126, 127>,   Double <53, -1022, 1023>
//
// + - * / sqrt exp log log1p expm1 are all correctly rounded, ties to even: what a formula loses in a format is the
// same on every machine, whatever its mathematical library.
//
// A Narrow is kept in a double. For p <= 24, + - * / and sqrt are computed in double and rounded once more. Rounding
// twice is harmless where 53 >= 2 p + 2 (Figueroa 1995, "When is double rounding innocuous?"); a subnormal result keeps
// even fewer bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>

#include "reference/number/big_float.h"
#include "reference/number/precision.h"
#include "reference/number/traits.h"

namespace assay::reference {

template <int p, int min_exponent, int max_exponent>
class Narrow {
 public:
  static_assert(p >= 2 && (p <= 24 || p == 53), "rounding twice must be harmless");

  Narrow() = default;
  template <class Arithmetic>
    requires std::is_arithmetic_v<Arithmetic>
  explicit Narrow(Arithmetic x) : value_(rounded(static_cast<double>(x))) {}

  explicit operator double() const { return value_; }

  Narrow& operator+=(Narrow x) { return *this = Narrow(value_ + x.value_); }
  Narrow& operator-=(Narrow x) { return *this = Narrow(value_ - x.value_); }
  Narrow& operator*=(Narrow x) { return *this = Narrow(value_ * x.value_); }
  Narrow& operator/=(Narrow x) { return *this = Narrow(value_ / x.value_); }
  friend Narrow operator+(Narrow a, Narrow b) { return a += b; }
  friend Narrow operator-(Narrow a, Narrow b) { return a -= b; }
  friend Narrow operator*(Narrow a, Narrow b) { return a *= b; }
  friend Narrow operator/(Narrow a, Narrow b) { return a /= b; }
  friend Narrow operator-(Narrow a) { return Narrow(-a.value_); }
  friend auto operator<=>(const Narrow&, const Narrow&) = default;

  /// The nearest number of this format; beyond the largest, an infinity.
  static double rounded(double x) {
    if constexpr (p == 53) return x;
    if (x == 0 || !std::isfinite(x)) return x;
    const int last_place = std::max(std::ilogb(x), min_exponent) - (p - 1);
    const double nearest = std::ldexp(std::nearbyint(std::ldexp(x, -last_place)), last_place);
    return std::abs(nearest) < std::ldexp(1.0, max_exponent) * 2 ? nearest : std::copysign(infinity(), x);
  }

 private:
  static constexpr double infinity() { return std::numeric_limits<double>::infinity(); }

  double value_ = 0;
};

using Half = Narrow<11, -14, 15>;
using BFloat16 = Narrow<8, -126, 127>;
using Single = Narrow<24, -126, 127>;
using Double = Narrow<53, -1022, 1023>;

namespace detail {

/// exact(x) rounded once, for a function `exact` of BigFloats. `close` is the result of the mathematical library, taken
/// to be off by at most 2^-50 of its size: where every number so near to `close` rounds alike, `exact` is not called
/// (Ziv 1991).
template <class Number, class Exact>
Number correctly_rounded(double x, double close, const Exact& exact) {
  const double width = std::ldexp(close, -50);
  if (!std::isfinite(close) || close == 0 || Number(close - width) == Number(close + width)) return Number(close);
  const PrecisionScope scope(40);
  return Number(static_cast<double>(exact(BigFloat(x))));
}

}  // namespace detail

template <int p, int min_exponent, int max_exponent>
struct NumberTraits<Narrow<p, min_exponent, max_exponent>> : PlainNumberTraits<Narrow<p, min_exponent, max_exponent>> {
  using Number = Narrow<p, min_exponent, max_exponent>;
  using Exact = NumberTraits<BigFloat>;

  static Number exp(Number a) {
    const auto x = static_cast<double>(a);
    return detail::correctly_rounded<Number>(x, std::exp(x), [](const BigFloat& b) { return Exact::exp(b); });
  }
  static Number log(Number a) {
    const auto x = static_cast<double>(a);
    return detail::correctly_rounded<Number>(x, std::log(x), [](const BigFloat& b) { return Exact::log(b); });
  }
  static Number log1p(Number a) {
    const auto x = static_cast<double>(a);
    return detail::correctly_rounded<Number>(x, std::log1p(x), [](const BigFloat& b) { return Exact::log1p(b); });
  }
  static Number expm1(Number a) {
    const auto x = static_cast<double>(a);
    return detail::correctly_rounded<Number>(x, std::expm1(x), [](const BigFloat& b) { return Exact::expm1(b); });
  }
  static Number sqrt(Number a) { return Number(std::sqrt(static_cast<double>(a))); }
  static Number unit_roundoff() { return Number(std::ldexp(1.0, -p)); }

  static bool is_zero(Number x) { return static_cast<double>(x) == 0; }
  static bool is_positive(Number x) { return static_cast<double>(x) > 0; }
  static bool is_finite(Number x) { return std::isfinite(static_cast<double>(x)); }
  static bool is_nan(Number x) { return std::isnan(static_cast<double>(x)); }
  static Number infinity() { return Number(std::numeric_limits<double>::infinity()); }
  static Number nan() { return Number(std::numeric_limits<double>::quiet_NaN()); }

  static double to_double(Number x) { return static_cast<double>(x); }
  static std::string to_string(Number x, int digits) {
    return NumberTraits<double>::to_string(static_cast<double>(x), digits);
  }
};

}  // namespace assay::reference
