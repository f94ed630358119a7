// Extended<Real>: a non-negative float, double or long double with a 64-bit exponent of its own, mantissa * 2^exponent
// with 1/2 <= mantissa < 1. Products and sums are rounded as those of Real are, but neither over- nor underflow.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

#include "reference/number/traits.h"

namespace assay::reference {

template <std::floating_point Real>
class Extended {
 public:
  Extended() = default;
  /// The finite number `x` >= 0, exactly.
  template <class Arithmetic>
    requires std::is_arithmetic_v<Arithmetic>
  explicit Extended(Arithmetic x) : mantissa_(static_cast<Real>(x)) {
    normalize();
  }
  Extended(Real mantissa, std::int64_t exponent) : mantissa_(mantissa), exponent_(exponent) { normalize(); }

  Real mantissa() const { return mantissa_; }
  std::int64_t exponent() const { return exponent_; }
  bool is_zero() const { return mantissa_ == Real(0); }

  Extended& operator*=(const Extended& x) {
    mantissa_ *= x.mantissa_;
    exponent_ += x.exponent_;
    return adjust();
  }
  Extended& operator/=(const Extended& x) {
    mantissa_ /= x.mantissa_;
    exponent_ -= x.exponent_;
    return adjust();
  }
  Extended& operator+=(const Extended& x) {
    if (x.is_zero()) return *this;
    if (is_zero()) return *this = x;
    const Extended& large = exponent_ >= x.exponent_ ? *this : x;
    const Extended& small = exponent_ >= x.exponent_ ? x : *this;
    const std::int64_t gap = large.exponent_ - small.exponent_;
    const Real addend = gap > negligible_gap ? Real(0) : small.mantissa_ * halves[static_cast<std::size_t>(gap)];
    mantissa_ = large.mantissa_ + addend;
    exponent_ = large.exponent_;
    return adjust();
  }

  friend Extended operator*(Extended a, const Extended& b) { return a *= b; }
  friend Extended operator/(Extended a, const Extended& b) { return a /= b; }
  friend Extended operator+(Extended a, const Extended& b) { return a += b; }
  friend bool operator==(const Extended& a, const Extended& b) = default;
  friend bool operator<(const Extended& a, const Extended& b) {
    if (a.is_zero() || b.is_zero()) return a.mantissa_ < b.mantissa_;
    return a.exponent_ != b.exponent_ ? a.exponent_ < b.exponent_ : a.mantissa_ < b.mantissa_;
  }

 private:
  /// Where exponents differ by more, the smaller addend is below half a unit in the last place of the larger.
  static constexpr std::int64_t negligible_gap = std::numeric_limits<Real>::digits + 2;

  /// 2^-i.
  static constexpr auto halves = [] {
    std::array<Real, std::size_t{negligible_gap} + 1> powers{};
    Real power = 1;
    for (Real& one : powers) {
      one = power;
      power /= 2;
    }
    return powers;
  }();

  /// As normalize(), after one operation on two normal mantissas: theirs is in [1/4, 2), or 0. Faster than frexp.
  Extended& adjust() {
    if (mantissa_ >= Real(1)) {
      mantissa_ /= 2;
      ++exponent_;
    } else if (mantissa_ < Real(0.5)) {
      mantissa_ *= 2;
      exponent_ = is_zero() ? 0 : exponent_ - 1;
    }
    return *this;
  }

  void normalize() {
    int shift = 0;
    mantissa_ = std::frexp(mantissa_, &shift);
    exponent_ = is_zero() ? 0 : exponent_ + shift;
  }

  Real mantissa_ = 0;
  std::int64_t exponent_ = 0;
};

template <std::floating_point Real>
struct NumberTraits<Extended<Real>> {
  using Scalar = Real;

  /// exp(x) = exp(x - k ln 2) * 2^k with k = round(x / ln 2). Below exp(-2^60) it is 0.
  static Extended<Real> exp(Real x) {
    if (x < -max_log) return Extended<Real>(0);
    if constexpr (!has_fast_fma)
      if (std::abs(x) < never_overflows) return Extended<Real>(std::exp(x));
    const Real k = std::round(x / ln2);
    const Real rest = std::fma(-k, ln2_error, std::fma(-k, ln2, x));
    return Extended<Real>(std::exp(rest), static_cast<std::int64_t>(k));
  }
  /// ln mantissa + exponent * ln 2. Near 1, where the two terms would cancel, the logarithm of the value itself.
  static Real log(const Extended<Real>& x) {
    if (x.exponent() > -16 && x.exponent() < 16) return std::log(value(x));
    const Real k = static_cast<Real>(x.exponent());
    return std::fma(k, ln2, std::fma(k, ln2_error, std::log(x.mantissa())));
  }
  static Real value(const Extended<Real>& x) {
    const std::int64_t limit = 1 << 20;  // far beyond the range of Real, within that of int
    return std::ldexp(x.mantissa(), static_cast<int>(std::clamp(x.exponent(), -limit, limit)));
  }
  static Extended<Real> from_value(Real x) { return Extended<Real>(x); }
  static bool is_zero(const Extended<Real>& x) { return x.is_zero(); }
  static bool is_positive(const Extended<Real>& x) { return x.mantissa() > Real(0); }

 private:
  /// The fused product of long double is computed in software, and takes longer than an exponential.
  static constexpr bool has_fast_fma = std::numeric_limits<Real>::digits <= std::numeric_limits<double>::digits;
  static constexpr Real never_overflows = std::numeric_limits<Real>::max_exponent / 2;
  static constexpr Real max_log = static_cast<Real>(std::int64_t{1} << 60);
  /// ln 2 = ln2 + ln2_error, to twice the digits of Real.
  static constexpr Real ln2 = static_cast<Real>(0.693147180559945309417232121458176568L);  // libc++ has it in double
  static constexpr Real ln2_error = [] {
    switch (std::numeric_limits<Real>::digits) {
      case 24:
        return static_cast<Real>(std::numbers::ln2_v<double> - static_cast<double>(ln2));
      case 53:
        return static_cast<Real>(2.3190468138462996e-17);
      default:
        return static_cast<Real>(-1.14583527267987328109e-20L);
    }
  }();
};

namespace detail {

template <class Number>
struct WideRangeOf {
  using type = Number;
};
template <std::floating_point Real>
struct WideRangeOf<Real> {
  using type = Extended<Real>;
};

}  // namespace detail

/// The type in which many probabilities can be multiplied: Extended for float, double and long double, the Number
/// itself otherwise.
template <class Number>
using WideRange = typename detail::WideRangeOf<Number>::type;

}  // namespace assay::reference
