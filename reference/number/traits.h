// The requirements of the reference on a number type N beyond + - * / and comparison. One specialisation per type:
//
//   float, double     here            Rational   exact.h         BigFloat   big_float.h
//   Ball              ball.h          LogNumber  log_number.h    Extended   extended.h
//   BinaryWeight      binary_weight.h (what a sum of exponentials asks for, and no more)
//
//   Scalar                 the type of the logarithm of an N (N itself for plain numbers)
//   exp(Scalar) -> N       log(N) -> Scalar, log(0) = -inf; log1p, expm1   (absent for Rational)
//   sqrt(N)                correctly rounded, NaN below 0; for a Ball the roots of its members of at least 0
//                          (float, double, BigFloat and Ball alone)
//   unit_roundoff()        u, half the gap above 1: a result rounded to nearest is within u of its size
//                          (float, double and BigFloat alone; for BigFloat by the precision in force)
//   value(N) -> Scalar     the number itself; of a LogNumber or Extended it may under- or overflow
//   from_value(Scalar) -> N
//   is_zero, is_positive, is_finite, is_nan;   infinity(), nan()  (the last two throw for Rational)
//   from_real(Real) -> N   exact for every finite float and double
//   to_double(N)           the nearest double (of a Ball: of its midpoint)
//   to_string(N, digits)   decimal, `digits` significant digits
//
// Beside the traits: is_minus_infinity(x), and add_product(sum, a, b), the inner loop of every matrix product.
#pragma once

#include <cmath>
#include <concepts>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>

namespace assay::reference {

template <class Number>
struct NumberTraits;

/// sum += a b. BigFloat and Ball do it in one step, rounded once and without a temporary.
template <class Number>
void add_product(Number& sum, const Number& a, const Number& b) {
  sum += a * b;
}

/// Whether x is -inf: the logarithm of 0.
template <class Number>
bool is_minus_infinity(const Number& x) {
  return !NumberTraits<Number>::is_finite(x) && x < Number(0);
}

/// The traits that all plain numbers share. The logarithm of a plain number is of the same type.
template <class Number>
struct PlainNumberTraits {
  using Scalar = Number;

  static const Number& value(const Number& x) { return x; }
  static const Number& from_value(const Number& x) { return x; }
  template <std::floating_point Real>
  static Number from_real(Real x) {
    return Number(x);
  }
};

template <std::floating_point Real>
struct NumberTraits<Real> : PlainNumberTraits<Real> {
  static Real exp(Real x) { return std::exp(x); }
  static Real log(Real x) { return std::log(x); }
  static Real log1p(Real x) { return std::log1p(x); }
  static Real expm1(Real x) { return std::expm1(x); }
  static Real sqrt(Real x) { return std::sqrt(x); }
  static Real unit_roundoff() { return std::numeric_limits<Real>::epsilon() / 2; }

  static bool is_zero(Real x) { return x == Real(0); }
  static bool is_positive(Real x) { return x > Real(0); }
  static bool is_finite(Real x) { return std::isfinite(x); }
  static bool is_nan(Real x) { return std::isnan(x); }
  static Real infinity() { return std::numeric_limits<Real>::infinity(); }
  static Real nan() { return std::numeric_limits<Real>::quiet_NaN(); }

  static double to_double(Real x) { return static_cast<double>(x); }
  static std::string to_string(Real x, int digits) {
    std::ostringstream out;
    out << std::setprecision(digits) << x;
    return out.str();
  }
};

}  // namespace assay::reference
