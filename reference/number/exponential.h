// exp in MPFR's format, rounded to nearest: the bits of mpfr_exp in a quarter of its time at 50 digits, where there is
// Arb. A ball with a radius of some 2^-12 units in the last place nearly always shows how the exponential is rounded;
// where it does not, MPFR computes it.
#pragma once

#include <mpfr.h>  // first: FLINT 3 declares conversions from and to MPFR only where MPFR is known

#if defined(ASSAY_HAVE_ARB)
#include <arb.h>
#endif

namespace assay::reference::detail {

#if defined(ASSAY_HAVE_ARB)

/// Whether Arb could tell the nearest number of the precision of `result`, which is then written.
inline bool try_exp(mpfr_ptr result, mpfr_srcptr x) {
  constexpr mpfr_prec_t longest = 4096;  // Arb has tables for as many bits; for more it keeps constants of each thread
  constexpr mpfr_exp_t max_exponent = 20;  // of x: so exp(x) neither overflows nor underflows
  const mpfr_prec_t bits = mpfr_get_prec(result);
  if (bits > longest || mpfr_regular_p(x) == 0 || mpfr_custom_get_exp(x) > max_exponent) return false;
  arb_t ball;
  arb_init(ball);
  arf_set_mpfr(arb_midref(ball), x);
  arb_exp(ball, ball, bits + 16);
  const bool unique = arb_can_round_mpfr(ball, bits, MPFR_RNDN) != 0;
  if (unique) arf_get_mpfr(result, arb_midref(ball), MPFR_RNDN);
  arb_clear(ball);
  return unique;
}

#else

inline bool try_exp(mpfr_ptr, mpfr_srcptr) {
  return false;
}

#endif

/// mpfr_exp, for rounding to nearest.
inline int exp(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  return try_exp(result, x) ? 0 : mpfr_exp(result, x, rounding);
}

}  // namespace assay::reference::detail
