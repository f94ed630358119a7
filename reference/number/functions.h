// Functions that formulas have beside those of traits.h, for float, double, BigFloat, Ball and Narrow:
//
//   sin, cos      their arguments are reduced exactly, however large they are; NaN of an infinity
//   erf           2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x
//   floor, round  the whole number below; the nearest one, ties to even
//   pi()
//   pow(x, p)     as IEEE 754 has it: NaN below 0 unless p is whole, 1 for p = 0
//
// One more function is a line in each of the types below.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>

#include "reference/number/ball.h"
#include "reference/number/big_float.h"
#include "reference/number/narrow.h"
#include "reference/number/traits.h"

#if ASSAY_HAVE_CERTIFIED
#include <arb_hypgeom.h>
#endif
#if !defined(ASSAY_HAVE_MPFR)
#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#endif

namespace assay::reference {

template <class Number>
struct Functions;

template <std::floating_point Real>
struct Functions<Real> {
  static Real sin(Real x) { return std::sin(x); }
  static Real cos(Real x) { return std::cos(x); }
  static Real erf(Real x) { return std::erf(x); }
  static Real floor(Real x) { return std::floor(x); }
  static Real round(Real x) { return std::nearbyint(x); }
  static Real pow(Real x, Real p) { return std::pow(x, p); }
  static Real pi() { return std::numbers::pi_v<Real>; }
};

#if defined(ASSAY_HAVE_MPFR)
template <>
struct Functions<BigFloat> {
  static BigFloat sin(const BigFloat& x) { return of(mpfr_sin, x); }
  static BigFloat cos(const BigFloat& x) { return of(mpfr_cos, x); }
  static BigFloat erf(const BigFloat& x) { return of(mpfr_erf, x); }
  static BigFloat floor(const BigFloat& x) { return whole(x, MPFR_RNDD); }
  static BigFloat round(const BigFloat& x) { return whole(x, MPFR_RNDN); }
  static BigFloat pow(const BigFloat& x, const BigFloat& p) { return of(mpfr_pow, x, p); }
  static BigFloat pi() { return of(mpfr_const_pi); }

 private:
  template <class Function, class... Operands>
  static BigFloat of(Function function, const Operands&... operands) {
    BigFloat result;
    function(result.data(), operands.data()..., MPFR_RNDN);
    return result;
  }
  /// With the digits of x, so that the result is a whole number and no rounding of one.
  static BigFloat whole(const BigFloat& x, mpfr_rnd_t direction) {
    BigFloat result = BigFloat::with_bits(mpfr_get_prec(x.data()));
    mpfr_rint(result.data(), x.data(), direction);
    return result;
  }
};
#else
template <>
struct Functions<BigFloat> {
  static BigFloat sin(const BigFloat& x) {
    return of_angle(x, [](const Wide& y) { return Wide(boost::multiprecision::sin(y)); });
  }
  static BigFloat cos(const BigFloat& x) {
    return of_angle(x, [](const Wide& y) { return Wide(boost::multiprecision::cos(y)); });
  }
  static BigFloat erf(const BigFloat& x) {
    if (isinf(x)) return x > 0 ? BigFloat(1) : BigFloat(-1);
    return isnan(x) ? x : BigFloat(boost::math::erf(Wide(x)));
  }
  static BigFloat floor(const BigFloat& x) { return isfinite(x) ? BigFloat(boost::multiprecision::floor(x)) : x; }
  static BigFloat round(const BigFloat& x) {
    if (!isfinite(x)) return x;
    const BigFloat below = floor(x), part = x - below, half = BigFloat(1) / 2;
    const bool is_odd = floor(below / 2) * 2 != below;
    return part > half || (part == half && is_odd) ? BigFloat(below + 1) : below;
  }
  static BigFloat pow(const BigFloat& x, const BigFloat& p) {
    return p == 0 || x == 1 ? BigFloat(1) : BigFloat(boost::multiprecision::pow(Wide(x), Wide(p)));
  }
  static BigFloat pi() { return boost::math::constants::pi<BigFloat>(); }

 private:
  using Wide = detail::WideFloat;
  /// Holds 2 pi to the last bit of every double.
  using Widest = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<ASSAY_FALLBACK_DIGITS + 340>,
                                               boost::multiprecision::et_off>;

  template <class Function>
  static BigFloat of_angle(const BigFloat& x, Function function) {
    if (!isfinite(x) || abs(x) > BigFloat(std::numeric_limits<double>::max())) return NumberTraits<BigFloat>::nan();
    const Widest turn = boost::math::constants::two_pi<Widest>(), angle(x);
    return BigFloat(function(Wide(angle - turn * boost::multiprecision::floor(angle / turn))));
  }
};
#endif

template <int p, int min_exponent, int max_exponent>
struct Functions<Narrow<p, min_exponent, max_exponent>> {
  using Number = Narrow<p, min_exponent, max_exponent>;
  using Exact = Functions<BigFloat>;

  static Number sin(Number x) {
    return rounded(x, [](double y) { return std::sin(y); }, Exact::sin);
  }
  static Number cos(Number x) {
    return rounded(x, [](double y) { return std::cos(y); }, Exact::cos);
  }
  static Number erf(Number x) {
    return rounded(x, [](double y) { return std::erf(y); }, Exact::erf);
  }
  static Number pi() { return Number(std::numbers::pi); }
  static Number floor(Number x) { return Number(std::floor(static_cast<double>(x))); }
  static Number round(Number x) { return Number(std::nearbyint(static_cast<double>(x))); }
  static Number pow(Number x, Number power) {
    const auto b = static_cast<double>(power);
    return rounded(
        x, [b](double y) { return std::pow(y, b); }, [b](const BigFloat& y) { return Exact::pow(y, BigFloat(b)); });
  }

 private:
  template <class Close, class Exactly>
  static Number rounded(Number x, Close close, Exactly exactly) {
    const auto y = static_cast<double>(x);
    return detail::correctly_rounded<Number>(y, close(y), exactly);
  }
};

#if ASSAY_HAVE_CERTIFIED
template <>
struct Functions<Ball> {
  static Ball sin(const Ball& x) { return of(arb_sin, x); }
  static Ball cos(const Ball& x) { return of(arb_cos, x); }
  static Ball erf(const Ball& x) {
    if (!is_infinite(x)) return of(arb_hypgeom_erf, x);
    return Ball(arb_is_positive(x.data()) != 0 ? 1 : -1);
  }
  static Ball floor(const Ball& x) { return rising(x, Functions<BigFloat>::floor); }
  static Ball round(const Ball& x) { return rising(x, Functions<BigFloat>::round); }
  static Ball pow(const Ball& x, const Ball& p) {
    if (NumberTraits<Ball>::is_zero(p)) return 1;
    if (NumberTraits<Ball>::is_zero(x) && NumberTraits<Ball>::is_positive(p)) return 0;
    return of(arb_pow, x, p);
  }
  static Ball pi() { return of(arb_const_pi); }

 private:
  template <class Function, class... Operands>
  static Ball of(Function function, const Operands&... operands) {
    Ball result;
    function(result.data(), operands.data()..., precision_bits() + guard_bits);
    return result;
  }
  static bool is_infinite(const Ball& x) { return x.is_exact() && arf_is_inf(arb_midref(x.data())) != 0; }
  /// The values at both ends enclose all others, since the function never falls.
  template <class Function>
  static Ball rising(const Ball& x, Function function) {
    const BigFloat lower = function(x.lower()), upper = function(x.upper());
    return lower == upper ? Ball(lower) : Ball::between(lower, upper);
  }
};
#endif

}  // namespace assay::reference
