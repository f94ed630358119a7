// Sums and products of numbers of three or four limbs of 64 bits in MPFR's format, rounded to nearest, ties to even:
// the bits of mpfr_add and mpfr_mul in about half their time, since the number of limbs is known when this is compiled,
// and hardly a branch depends on the digits. Truths of 50 and of 70 digits have as many limbs.
//
//   a + b   of one sign: b is shifted right by the difference of the exponents, and added
//   a b     all 2 N limbs
//
// What lies below the limbs that are kept counts as 0 or not (the "sticky bit"). It takes the place of the last bit, so
// the last limb must have two bits that the precision does not use. Whatever else there is goes to MPFR: operands of
// other precisions, 0, Inf and NaN, differences, exponents so large that the result could overflow or underflow.
#pragma once

#include <mpfr.h>

#include <array>
#include <cstddef>
#include <utility>

namespace assay::reference::detail {

static_assert(GMP_NUMB_BITS == 64, "limbs.h: expected limbs of 64 bits");

__extension__ using TwoLimbs = unsigned __int128;

/// The least significant limb first.
template <std::size_t N>
using Limbs = std::array<mp_limb_t, N>;

inline const mp_limb_t* limbs_of(mpfr_srcptr x) {
  return static_cast<const mp_limb_t*>(mpfr_custom_get_significand(x));
}

/// x / 2^shift, 0 <= shift < 64, without its limb N. The bits that are lost go into `below`.
template <std::size_t N>
[[gnu::always_inline]] inline Limbs<N> shifted(const Limbs<N + 1>& x, unsigned shift, mp_limb_t& below) {
  Limbs<N> result;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < N; ++i) result[i] = static_cast<mp_limb_t>((TwoLimbs{x[i + 1]} << 64 | x[i]) >> shift);
  below |= static_cast<mp_limb_t>((TwoLimbs{x[0]} << 64) >> shift);
  return result;
}

/// a + b, the carry as limb N.
template <std::size_t N>
[[gnu::always_inline]] inline Limbs<N + 1> sum_of(const mp_limb_t* a, const Limbs<N>& b) {
  Limbs<N + 1> sum;
  TwoLimbs carry = 0;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < N; ++i) {
    carry += TwoLimbs{a[i]} + b[i];
    sum[i] = static_cast<mp_limb_t>(carry);
    carry >>= 64;
  }
  sum[N] = static_cast<mp_limb_t>(carry);
  return sum;
}

/// a b.
template <std::size_t N>
[[gnu::always_inline]] inline Limbs<2 * N> product_of(const mp_limb_t* a, const mp_limb_t* b) {
  Limbs<2 * N> product{};
#pragma GCC unroll 8
  for (std::size_t i = 0; i < N; ++i) {
    TwoLimbs carry = 0;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < N; ++j) {
      carry += TwoLimbs{a[i]} * b[j] + product[i + j];
      product[i + j] = static_cast<mp_limb_t>(carry);
      carry >>= 64;
    }
    product[i + N] = static_cast<mp_limb_t>(carry);
  }
  return product;
}

/// result = x 2^(exponent - 64 N), rounded to its precision. The first bit of x is set. `below` is 0 where the number
/// has no bits below those of x.
template <std::size_t N>
[[gnu::always_inline]] inline void set_rounded(mpfr_ptr result, int kind, mpfr_exp_t exponent, Limbs<N> x,
                                               mp_limb_t below) {
  const mpfr_prec_t bits = mpfr_get_prec(result);
  const auto unused = static_cast<unsigned>(64 * static_cast<mpfr_prec_t>(N) - bits);
  const mp_limb_t unit = mp_limb_t{1} << unused;
  x[0] |= static_cast<mp_limb_t>(below != 0);
  const Limbs<N> half{unit / 2 - 1 + (x[0] >> unused & 1)};  // from a tie to the even neighbour
  const Limbs<N + 1> rounded = sum_of<N>(x.data(), half);
  const mp_limb_t carry = rounded[N];  // the other limbs are then 0
  auto* limbs = static_cast<mp_limb_t*>(mpfr_custom_get_significand(result));
#pragma GCC unroll 8
  for (std::size_t i = 0; i < N; ++i) limbs[i] = rounded[i];
  limbs[0] &= ~(unit - 1);
  limbs[N - 1] |= carry << 63;
  mpfr_custom_init_set(result, kind, exponent + static_cast<mpfr_exp_t>(carry), bits, limbs);
}

/// a + b, of one sign. The exponent of a is larger than that of b by `gap`, 0 <= gap < 64 N.
template <std::size_t N>
[[gnu::always_inline]] inline void add_limbs(mpfr_ptr result, mpfr_srcptr a, mpfr_srcptr b, mpfr_exp_t gap) {
  Limbs<N + 1> addend = sum_of<N>(limbs_of(b), Limbs<N>{});
  mp_limb_t below = 0;
  for (; gap >= 64; gap -= 64) {
    below |= addend[0];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i) addend[i] = addend[i + 1];
  }
  const Limbs<N + 1> sum = sum_of<N>(limbs_of(a), shifted<N>(addend, static_cast<unsigned>(gap), below));
  const auto carry = static_cast<unsigned>(sum[N]);
  const Limbs<N> x = shifted<N>(sum, carry, below);
  set_rounded<N>(result, mpfr_custom_get_kind(a), mpfr_custom_get_exp(a) + carry, x, below);
}

template <std::size_t N>
[[gnu::always_inline]] inline void multiply_limbs(mpfr_ptr result, mpfr_srcptr a, mpfr_srcptr b) {
  const Limbs<2 * N> product = product_of<N>(limbs_of(a), limbs_of(b));
  const mp_limb_t first_bit = product[2 * N - 1] >> 63;  // where it is 0, the second is 1
  mp_limb_t below = 0;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < N; ++i) below |= product[i];
  Limbs<N> x;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < N; ++i) {
    const mp_limb_t twice = product[N + i] << 1 | product[N + i - 1] >> 63;
    x[i] = (product[N + i] & -first_bit) | (twice & (first_bit - 1));
  }
  const int kind = MPFR_SIGN(a) == MPFR_SIGN(b) ? MPFR_REGULAR_KIND : -MPFR_REGULAR_KIND;
  const mpfr_exp_t exponents = mpfr_custom_get_exp(a) + mpfr_custom_get_exp(b);
  set_rounded<N>(result, kind, exponents - 1 + static_cast<mpfr_exp_t>(first_bit), x, below);
}

/// Whether numbers of `bits` bits have N limbs, and two bits of the last one unused.
template <std::size_t N>
bool has_limbs(mpfr_prec_t bits) {
  constexpr auto end = 64 * static_cast<mpfr_prec_t>(N);
  return end - 64 < bits && bits <= end - 2;
}

/// Whether x has `bits` bits, is none of 0, Inf and NaN, and far from the ends of MPFR's range.
inline bool is_ordinary(mpfr_srcptr x, mpfr_prec_t bits) {
  constexpr mpfr_exp_t limit = mpfr_exp_t{1} << 28;
  const mpfr_exp_t exponent = mpfr_custom_get_exp(x);
  return mpfr_get_prec(x) == bits && -limit < exponent && exponent < limit;
}

/// Without optimisation, as under a sanitizer, this file's functions take ten times as long as MPFR's.
#if defined(__OPTIMIZE__)
inline constexpr bool limbs_pay = true;
#else
inline constexpr bool limbs_pay = false;
#endif

/// mpfr_add, for rounding to nearest.
inline int add(mpfr_ptr result, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rounding) {
  const mpfr_prec_t bits = mpfr_get_prec(result);
  if (limbs_pay && is_ordinary(a, bits) && is_ordinary(b, bits) && MPFR_SIGN(a) == MPFR_SIGN(b)) {
    if (mpfr_custom_get_exp(a) < mpfr_custom_get_exp(b)) std::swap(a, b);
    const mpfr_exp_t gap = mpfr_custom_get_exp(a) - mpfr_custom_get_exp(b);
    if (gap < bits && has_limbs<3>(bits)) return add_limbs<3>(result, a, b, gap), 0;
    if (gap < bits && has_limbs<4>(bits)) return add_limbs<4>(result, a, b, gap), 0;
  }
  return mpfr_add(result, a, b, rounding);
}

/// mpfr_mul, for rounding to nearest.
inline int multiply(mpfr_ptr result, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rounding) {
  const mpfr_prec_t bits = mpfr_get_prec(result);
  if (limbs_pay && is_ordinary(a, bits) && is_ordinary(b, bits)) {
    if (has_limbs<3>(bits)) return multiply_limbs<3>(result, a, b), 0;
    if (has_limbs<4>(bits)) return multiply_limbs<4>(result, a, b), 0;
  }
  return mpfr_mul(result, a, b, rounding);
}

}  // namespace assay::reference::detail
