// BigFloat where MPFR is absent: Boost's header-only binary floating point. Include big_float.h instead.
//
// Boost rounds + - * / and sqrt correctly, but not exp, log, log1p and expm1: these are computed with
// function_guard_digits more digits and rounded once. So every result has MPFR's bits where the digits asked for are
// ASSAY_FALLBACK_DIGITS.
#pragma once

#include <boost/math/special_functions/expm1.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <concepts>
#include <limits>
#include <string>

#include "reference/number/precision.h"
#include "reference/number/traits.h"

namespace assay::reference {

using BigFloat = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<ASSAY_FALLBACK_DIGITS>,
                                               boost::multiprecision::et_off>;

namespace detail {

inline constexpr int function_guard_digits = 20;

using WideFloat =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<ASSAY_FALLBACK_DIGITS + function_guard_digits>,
                                  boost::multiprecision::et_off>;

}  // namespace detail

template <>
struct NumberTraits<BigFloat> : PlainNumberTraits<BigFloat> {
  static BigFloat exp(const BigFloat& x) { return BigFloat(boost::multiprecision::exp(detail::WideFloat(x))); }
  static BigFloat log(const BigFloat& x) {
    return x == 0 ? BigFloat(-infinity()) : BigFloat(boost::multiprecision::log(detail::WideFloat(x)));
  }
  static BigFloat log1p(const BigFloat& x) { return BigFloat(boost::math::log1p(detail::WideFloat(x))); }
  static BigFloat expm1(const BigFloat& x) { return BigFloat(boost::math::expm1(detail::WideFloat(x))); }
  static BigFloat sqrt(const BigFloat& x) { return x < 0 ? nan() : BigFloat(boost::multiprecision::sqrt(x)); }
  /// That of the precision asked for, which may be coarser than the precision of the type.
  static BigFloat unit_roundoff() {
    return boost::multiprecision::ldexp(BigFloat(1), -static_cast<int>(precision_bits()));
  }

  static bool is_zero(const BigFloat& x) { return x.is_zero(); }
  static bool is_positive(const BigFloat& x) { return x > 0; }
  static bool is_finite(const BigFloat& x) { return boost::multiprecision::isfinite(x); }
  static bool is_nan(const BigFloat& x) { return boost::multiprecision::isnan(x); }
  static BigFloat infinity() { return std::numeric_limits<BigFloat>::infinity(); }
  static BigFloat nan() { return std::numeric_limits<BigFloat>::quiet_NaN(); }

  static double to_double(const BigFloat& x) { return x.convert_to<double>(); }
  static std::string to_string(const BigFloat& x, int digits) { return x.str(digits); }
};

}  // namespace assay::reference
