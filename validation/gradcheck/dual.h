// Forward-mode dual numbers at any precision, with the rounding errors that an arithmetic of unit roundoff u would make
// on the way. A dual number is a value, its derivative along one direction, and running bounds on the errors of both,
// in units of u.
//
//   value              v = a b          |error of v| <= |a| e_b + |b| e_a + |v|
//   derivative         v' = a' b + a b'   each product and the sum likewise
//   v = h(a)           v' = h'(a) a'      e_v = |h'| e_a + 4 |h|,   e_v' = |h'| e_a' + |h'' a'| e_a + 5 |v'|
//
// to first order in u (Wilkinson's running error analysis; Higham, Accuracy and Stability of Numerical Algorithms,
// section 3.3), with 4 u for a function of the library. Constants are exact.
//
// At a point without a derivative, a function takes a one-sided one; check_gradient notices that (function.h).
#pragma once

#include <cmath>
#include <compare>
#include <concepts>
#include <utility>

#include "reference/number/big_float.h"

#if defined(ASSAY_HAVE_MPFR)
namespace assay::reference {

// Functions of <cmath> for a BigFloat that lacks them, so that templates over number types compile. Boost's has them.
BigFloat sin(const BigFloat& x);
BigFloat cos(const BigFloat& x);
BigFloat tanh(const BigFloat& x);
BigFloat pow(const BigFloat& x, const BigFloat& y);
BigFloat max(const BigFloat& x, const BigFloat& y);
BigFloat min(const BigFloat& x, const BigFloat& y);

}  // namespace assay::reference
#endif

namespace assay::validation {

class Dual {
 public:
  using BigFloat = reference::BigFloat;

  Dual() = default;
  template <class Constant>
    requires std::integral<Constant> || std::floating_point<Constant>
  Dual(Constant value) : value_(value) {}
  Dual(BigFloat value) : value_(std::move(value)) {}

  /// An input of a function. `derivative` is 1 for the input to differentiate by and 0 for the others. The value counts
  /// as rounded once.
  static Dual input(const BigFloat& value, int derivative);

  const BigFloat& value() const { return value_; }
  const BigFloat& derivative() const { return derivative_; }
  double derivative_error() const { return derivative_error_; }  ///< in units of u

  friend Dual operator+(const Dual& a, const Dual& b);
  friend Dual operator-(const Dual& a, const Dual& b);
  friend Dual operator*(const Dual& a, const Dual& b);
  friend Dual operator/(const Dual& a, const Dual& b);
  friend Dual operator-(const Dual& a);
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.value_ == b.value_; }
  friend std::partial_ordering operator<=>(const Dual& a, const Dual& b) {
    if (a.value_ < b.value_) return std::partial_ordering::less;
    if (b.value_ < a.value_) return std::partial_ordering::greater;
    return a.value_ == b.value_ ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
  }

  friend Dual exp(const Dual& a);
  friend Dual log(const Dual& a);
  friend Dual log1p(const Dual& a);
  friend Dual expm1(const Dual& a);
  friend Dual sqrt(const Dual& a);
  friend Dual sin(const Dual& a);
  friend Dual cos(const Dual& a);
  friend Dual tanh(const Dual& a);
  friend Dual pow(const Dual& a, const Dual& b);  ///< a > 0, or a constant integer b
  friend Dual abs(const Dual& a);
  friend Dual max(const Dual& a, const Dual& b) { return a < b ? b : a; }
  friend Dual min(const Dual& a, const Dual& b) { return b < a ? b : a; }

 private:
  /// h(a), given h, h' and h'' at its value.
  static Dual apply(const Dual& a, const BigFloat& h, const BigFloat& first, const BigFloat& second);

  bool is_constant() const { return value_error_ == 0 && derivative_error_ == 0 && derivative_ == BigFloat(0); }

  BigFloat value_, derivative_;
  double value_error_ = 0, derivative_error_ = 0;
};

}  // namespace assay::validation
