// BigFloat: floating point of any precision chosen at run time (see precision.h), rounded to nearest.
//
// With ASSAY_HAVE_MPFR it is a thin value type over mpfr_t. Without, it is Boost's cpp_bin_float of
// ASSAY_FALLBACK_DIGITS digits: always that precise, whatever smaller number of digits was asked for.
// Either way: + - * / += -= *= /= comparison with numbers of any kind, exp, log, sqrt, abs, isnan, isfinite, <<,
// explicit conversion to float and double (correctly rounded), explicit construction from a decimal string.
#pragma once

#if defined(ASSAY_HAVE_MPFR)
#include "reference/number/big_float_mpfr.h"
#else
#include "reference/number/big_float_boost.h"
#endif
