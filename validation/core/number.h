// Helpers for the reference's any-precision numbers: kinds, differences, text.
#pragma once

#include <string>

#include "reference/number/big_float.h"
#include "validation/core/dtype.h"

namespace assay::validation {

using reference::BigFloat;

double to_double(const BigFloat& x);
bool is_nan(const BigFloat& x);
bool is_finite(const BigFloat& x);

/// Both NaN, both +inf or both -inf.
bool same_kind(const BigFloat& a, const BigFloat& b);

/// |got - exact|, rounded once to double; NaN or infinite where either is.
double absolute_difference(const BigFloat& a, const BigFloat& b);

/// `digits` significant decimal digits.
std::string to_decimal(const BigFloat& x, int digits);

/// "-0x1.8p+0": the bits of a number.
std::string hexadecimal(double value);

/// "-0.123456789 (-0x1.f9add4p-4)": the shortest decimal of a number and its bits.
std::string show(float value);
std::string show(double value);

/// What came and its error, where a finite number was due: "nan where a finite number was due" has no error, and a
/// bound that is NaN is no bound.
std::string explain_error(float got, const std::string& error, double bound);
std::string explain_error(double got, const std::string& error, double bound);

/// exact, rounded to the type of `got`, got, error in units of the bound and in ULP: four aligned lines. An error
/// larger than the number itself, as near an exact 0, is not counted in ULP.
std::string explain(float got, const BigFloat& exact, double error, double bound);
std::string explain(double got, const BigFloat& exact, double error, double bound);

/// As above for a number of `dtype` that is kept in double.
std::string explain(double got, const BigFloat& exact, double error, double bound, Dtype dtype);

}  // namespace assay::validation
