// Narrow<p, least, greatest>: IEEE 754 binary floating point of p significant bits, p <= 53, and normal exponents from
// `least` to `greatest`, with gradual underflow:
//
//   Half <11, -14, 15>,   BFloat16 <8, -126, 127>,   Single <24, -126, 127>,   Double <53, -1022, 1023>
//
// + - * / sqrt exp log log1p expm1 are all correctly rounded, ties to even: what a formula loses in a format is the
// same on every machine, whatever its library of mathematics.
//
// A Narrow is kept in a double. Of p <= 24, each of + - * / sqrt is computed in double and rounded once more: rounding
// twice is harmless where 53 >= 2 p + 2 (Figueroa 1995, "When is double rounding innocuous?"), and of a subnormal
// result even fewer bits are kept.
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

template <int p, int least, int greatest>
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
    const int last_place = std::max(std::ilogb(x), least) - (p - 1);
    const double nearest = std::ldexp(std::nearbyint(std::ldexp(x, -last_place)), last_place);
    return std::abs(nearest) < std::ldexp(1.0, greatest) * 2 ? nearest : std::copysign(infinity(), x);
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

/// What `exact`, a function of BigFloats, gives at x, rounded once. `close` is the same by the library, taken to be
/// within 2^-50 of its size: where all numbers that near round alike, nothing more is asked (Ziv 1991).
template <class Number, class Exact>
Number correctly_rounded(double x, double close, const Exact& exact) {
  const double width = std::ldexp(close, -50);
  if (!std::isfinite(close) || close == 0 || Number(close - width) == Number(close + width)) return Number(close);
  const PrecisionScope scope(40);
  return Number(static_cast<double>(exact(BigFloat(x))));
}

}  // namespace detail

template <int p, int least, int greatest>
struct NumberTraits<Narrow<p, least, greatest>> {
  using Number = Narrow<p, least, greatest>;
  using Scalar = Number;
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
  static Number value(Number x) { return x; }
  static Number from_value(Number x) { return x; }

  static bool is_zero(Number x) { return static_cast<double>(x) == 0; }
  static bool is_positive(Number x) { return static_cast<double>(x) > 0; }
  static bool is_finite(Number x) { return std::isfinite(static_cast<double>(x)); }
  static bool is_nan(Number x) { return std::isnan(static_cast<double>(x)); }
  static Number infinity() { return Number(std::numeric_limits<double>::infinity()); }
  static Number nan() { return Number(std::numeric_limits<double>::quiet_NaN()); }

  template <std::floating_point From>
  static Number from_real(From x) {
    return Number(x);
  }
  static double to_double(Number x) { return static_cast<double>(x); }
  static std::string to_string(Number x, int digits) {
    return NumberTraits<double>::to_string(static_cast<double>(x), digits);
  }
};

}  // namespace assay::reference
