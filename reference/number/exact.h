// Exact numbers, Integer and Rational: GMP's with ASSAY_HAVE_GMP, Boost's own otherwise. A Rational has no exp and no
// log: in rationals CTC starts from the outputs y, from where on it needs +, * and / alone.
#pragma once

#if defined(ASSAY_HAVE_GMP)
#include <boost/multiprecision/gmp.hpp>
#else
#include <boost/multiprecision/cpp_int.hpp>
#endif

#include <concepts>
#include <stdexcept>
#include <string>

#include "reference/number/traits.h"

namespace assay::reference {

#if defined(ASSAY_HAVE_GMP)
using IntegerBackend = boost::multiprecision::gmp_int;
using RationalBackend = boost::multiprecision::gmp_rational;
#else
using IntegerBackend = boost::multiprecision::cpp_int_backend<>;
using RationalBackend = boost::multiprecision::cpp_rational_backend;
#endif

using Integer = boost::multiprecision::number<IntegerBackend, boost::multiprecision::et_off>;
using Rational = boost::multiprecision::number<RationalBackend, boost::multiprecision::et_off>;

template <>
struct NumberTraits<Rational> : PlainNumberTraits<Rational> {
  static bool is_zero(const Rational& x) { return x.is_zero(); }
  static bool is_positive(const Rational& x) { return x > 0; }
  static bool is_finite(const Rational&) { return true; }
  static bool is_nan(const Rational&) { return false; }
  static Rational infinity() { throw std::domain_error("Rational: expected a finite value, there is no infinity"); }
  static Rational nan() { throw std::domain_error("Rational: expected a finite value, there is no NaN"); }

  static double to_double(const Rational& x) { return x.convert_to<double>(); }
  /// The fraction itself, whatever the number of digits: "355/113".
  static std::string to_string(const Rational& x, int /*digits*/ = 0) { return x.str(); }
};

}  // namespace assay::reference
