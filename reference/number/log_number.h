// LogNumber<N>: an element of the log semiring, the non-negative number x kept as ln x in a number N.
//
//   ln(x y) = ln x + ln y
//   ln(x + y) = m + ln(1 + exp(n - m)),   m = max(ln x, ln y), n = min(ln x, ln y)
//
// A LogNumber gains range and loses digits: an error d of ln x is a relative error d of x, and ln x may be large.
#pragma once

#include <concepts>
#include <utility>

#include "reference/number/traits.h"

namespace assay::reference {

template <class N>
class LogNumber {
 public:
  using Traits = NumberTraits<N>;

  LogNumber() : LogNumber(0) {}
  /// The number `x` >= 0 itself: LogNumber(0) is exp(-inf), LogNumber(1) is exp(0).
  template <std::integral Integer>
  explicit LogNumber(Integer x) : log_(x == 0   ? N(-Traits::infinity())
                                       : x == 1 ? N(0)
                                                : Traits::log(N(x))) {}

  static LogNumber from_log(N log) {
    LogNumber result;
    result.log_ = std::move(log);
    return result;
  }
  const N& log() const { return log_; }
  bool is_zero() const { return is_minus_infinity(log_); }

  LogNumber& operator*=(const LogNumber& x) {
    if (is_zero()) return *this;
    if (x.is_zero()) return *this = x;
    log_ += x.log_;
    return *this;
  }
  LogNumber& operator/=(const LogNumber& x) {
    log_ -= x.log_;
    return *this;
  }
  LogNumber& operator+=(const LogNumber& x) {
    if (x.is_zero()) return *this;
    if (is_zero()) return *this = x;
    const bool larger = log_ < x.log_;
    N difference = larger ? N(log_ - x.log_) : N(x.log_ - log_);
    if (larger) log_ = x.log_;
    log_ += Traits::log1p(Traits::exp(difference));
    return *this;
  }

  friend LogNumber operator*(LogNumber a, const LogNumber& b) { return a *= b; }
  friend LogNumber operator/(LogNumber a, const LogNumber& b) { return a /= b; }
  friend LogNumber operator+(LogNumber a, const LogNumber& b) { return a += b; }
  friend bool operator==(const LogNumber& a, const LogNumber& b) { return a.log_ == b.log_; }
  friend bool operator<(const LogNumber& a, const LogNumber& b) { return a.log_ < b.log_; }

 private:
  N log_;
};

template <class N>
struct NumberTraits<LogNumber<N>> {
  using Scalar = N;

  static LogNumber<N> exp(N x) { return LogNumber<N>::from_log(std::move(x)); }
  static const N& log(const LogNumber<N>& x) { return x.log(); }
  static N value(const LogNumber<N>& x) { return x.is_zero() ? N(0) : NumberTraits<N>::exp(x.log()); }
  static LogNumber<N> from_value(const N& x) { return LogNumber<N>::from_log(NumberTraits<N>::log(x)); }
  static bool is_zero(const LogNumber<N>& x) { return x.is_zero(); }
  static bool is_positive(const LogNumber<N>& x) { return NumberTraits<N>::is_finite(x.log()); }
};

}  // namespace assay::reference
