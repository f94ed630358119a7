// Ball: a number known to lie in [midpoint - radius, midpoint + radius], a thin value type over Arb's arb_t.
//
// Every operation encloses its exact result for all members of its operands (Johansson 2017, "Arb: efficient
// arbitrary-precision midpoint-radius interval arithmetic"). So a result of the reference in balls is a theorem.
// Midpoints carry guard_bits beyond the precision of the thread, see precision.h.
//
// ASSAY_HAVE_CERTIFIED is 1 where Ball exists (with ASSAY_HAVE_ARB), else 0.
#pragma once

#if !defined(ASSAY_HAVE_ARB)
#define ASSAY_HAVE_CERTIFIED 0
#else
#define ASSAY_HAVE_CERTIFIED 1

#include <mpfr.h>  // first: FLINT 3 declares conversions from and to MPFR only where MPFR is known

#include <arb.h>
#include <flint/fmpq.h>

#include <algorithm>
#include <concepts>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "reference/number/big_float.h"
#include "reference/number/exact.h"
#include "reference/number/precision.h"
#include "reference/number/traits.h"

namespace assay::reference {

class Ball {
 public:
  Ball() { arb_init(ball_); }
  /// Exact, as are all conversions from integers, float and double.
  template <std::integral Integer>
  Ball(Integer x) : Ball() {
    static_assert(sizeof(Integer) < sizeof(slong) || std::is_signed_v<Integer>);
    arb_set_si(ball_, static_cast<slong>(x));
  }
  template <std::floating_point Real>
  Ball(Real x) : Ball() {
    static_assert(sizeof(Real) <= sizeof(double));
    arb_set_d(ball_, static_cast<double>(x));
  }
  explicit Ball(const BigFloat& x) : Ball() { arf_set_mpfr(arb_midref(ball_), x.data()); }
  /// Encloses the decimal number. Throws std::invalid_argument where `decimal` is none.
  explicit Ball(const std::string& decimal) : Ball() {
    if (arb_set_str(ball_, decimal.c_str(), bits()) != 0)
      throw std::invalid_argument("decimal = '" + decimal + "': expected a decimal number");
  }

  /// Encloses [lower, upper].
  static Ball between(const BigFloat& lower, const BigFloat& upper) {
    Ball result;
    arb_set_interval_mpfr(result.ball_, lower.data(), upper.data(), bits());
    return result;
  }

  Ball(const Ball& x) : Ball() { arb_set(ball_, x.ball_); }
  Ball(Ball&& x) noexcept : Ball() { arb_swap(ball_, x.ball_); }
  Ball& operator=(const Ball& x) { return arb_set(ball_, x.ball_), *this; }
  Ball& operator=(Ball&& x) noexcept { return arb_swap(ball_, x.ball_), *this; }
  ~Ball() { arb_clear(ball_); }

  Ball& operator+=(const Ball& x) { return arb_add(ball_, ball_, x.ball_, bits()), *this; }
  Ball& operator-=(const Ball& x) { return arb_sub(ball_, ball_, x.ball_, bits()), *this; }
  Ball& operator*=(const Ball& x) { return arb_mul(ball_, ball_, x.ball_, bits()), *this; }
  Ball& operator/=(const Ball& x) { return arb_div(ball_, ball_, x.ball_, bits()), *this; }

  friend Ball operator+(const Ball& a, const Ball& b) { return make(arb_add, a, b); }
  friend Ball operator-(const Ball& a, const Ball& b) { return make(arb_sub, a, b); }
  friend Ball operator*(const Ball& a, const Ball& b) { return make(arb_mul, a, b); }
  friend Ball operator/(const Ball& a, const Ball& b) { return make(arb_div, a, b); }
  friend Ball operator-(Ball x) { return arb_neg(x.ball_, x.ball_), x; }
  /// sum += a b.
  friend void add_product(Ball& sum, const Ball& a, const Ball& b) { arb_addmul(sum.ball_, a.ball_, b.ball_, bits()); }

  /// Certainly: for every member of a and every member of b. Both a < b and b < a may be false.
  friend bool operator<(const Ball& a, const Ball& b) { return arb_lt(a.ball_, b.ball_) != 0; }
  friend bool operator>(const Ball& a, const Ball& b) { return b < a; }

  friend Ball exp(const Ball& x) { return make(arb_exp, x); }
  friend Ball log(const Ball& x) { return make(arb_log, x); }
  friend Ball log1p(const Ball& x) { return make(arb_log1p, x); }
  friend Ball expm1(const Ball& x) { return make(arb_expm1, x); }
  /// Encloses the roots of the members that are not negative; NaN where every member is.
  friend Ball sqrt(const Ball& x) { return make(arb_is_negative(x.ball_) != 0 ? arb_sqrt : arb_sqrtpos, x); }
  friend Ball abs(Ball x) { return arb_abs(x.ball_, x.ball_), x; }

  BigFloat midpoint() const { return exactly(arb_midref(ball_)); }
  BigFloat radius() const {
    Ball result;
    arf_set_mag(arb_midref(result.ball_), arb_radref(ball_));
    return result.midpoint();
  }
  /// The ends of the interval, rounded outwards.
  BigFloat lower() const { return end(arb_get_lbound_arf); }
  BigFloat upper() const { return end(arb_get_ubound_arf); }

  bool contains(const Ball& x) const { return arb_contains(ball_, x.ball_) != 0; }
  bool contains(const BigFloat& x) const { return arb_contains_mpfr(ball_, x.data()) != 0; }
  bool contains(const Rational& x) const {
    fmpq_t q;
    fmpq_init(q);
    fmpq_set_mpq(q, x.backend().data());
    const bool result = arb_contains_fmpq(ball_, q) != 0;
    fmpq_clear(q);
    return result;
  }
  bool overlaps(const Ball& x) const { return arb_overlaps(ball_, x.ball_) != 0; }
  bool is_exact() const { return arb_is_exact(ball_) != 0; }

  /// "[0.25 +/- 3.1e-60]": of the midpoint the digits that the radius leaves certain, at most `digits`, and the radius.
  std::string str(int digits) const {
    char* text = arb_get_str(ball_, digits, 0);
    std::string result(text);
    flint_free(text);
    return result;
  }
  friend std::ostream& operator<<(std::ostream& out, const Ball& x) {
    return out << x.str(static_cast<int>(out.precision()));
  }

  arb_ptr data() { return ball_; }
  arb_srcptr data() const { return ball_; }

 private:
  static slong bits() { return precision_bits() + guard_bits; }

  template <class Function, class... Operands>
  static Ball make(Function function, const Operands&... operands) {
    Ball result;
    function(result.ball_, operands.ball_..., bits());
    return result;
  }
  static BigFloat exactly(const arf_t x) {
    BigFloat result = BigFloat::with_bits(std::max<mpfr_prec_t>(arf_bits(x), MPFR_PREC_MIN));
    arf_get_mpfr(result.data(), x, MPFR_RNDN);
    return result;
  }
  template <class Function>
  BigFloat end(Function bound) const {
    arf_t x;
    arf_init(x);
    bound(x, ball_, bits());
    BigFloat result = exactly(x);
    arf_clear(x);
    return result;
  }

  arb_t ball_;
};

Ball exp(const Ball& x);
Ball log(const Ball& x);
Ball log1p(const Ball& x);
Ball expm1(const Ball& x);
Ball sqrt(const Ball& x);

template <>
struct NumberTraits<Ball> : PlainNumberTraits<Ball> {
  static Ball exp(const Ball& x) { return reference::exp(x); }
  static Ball log(const Ball& x) { return is_zero(x) ? -infinity() : reference::log(x); }
  static Ball log1p(const Ball& x) { return reference::log1p(x); }
  static Ball expm1(const Ball& x) { return reference::expm1(x); }
  static Ball sqrt(const Ball& x) { return reference::sqrt(x); }

  /// True where every member is 0, positive, finite.
  static bool is_zero(const Ball& x) { return arb_is_zero(x.data()) != 0; }
  static bool is_positive(const Ball& x) { return arb_is_positive(x.data()) != 0; }
  static bool is_finite(const Ball& x) { return arb_is_finite(x.data()) != 0; }
  static bool is_nan(const Ball& x) { return arf_is_nan(arb_midref(x.data())) != 0; }
  static Ball infinity() { return Ball(std::numeric_limits<double>::infinity()); }
  static Ball nan() { return Ball(std::numeric_limits<double>::quiet_NaN()); }

  static double to_double(const Ball& x) { return static_cast<double>(x.midpoint()); }
  static std::string to_string(const Ball& x, int digits) { return x.str(digits); }
};

}  // namespace assay::reference

#endif
