// Sums and products have the bits of mpfr_add and mpfr_mul: for operands with long runs of zeros and ones, which make
// ties and carries, for each difference of exponents, and for whatever is left to MPFR.
#if defined(ASSAY_HAVE_MPFR)

#include "reference/number/limbs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "reference/number/big_float.h"

namespace assay::reference {
namespace {

/// 1, then runs of zeros, ones or random digits of 1 to 64 bits; times 2^exponent.
BigFloat runs(mpfr_prec_t bits, mpfr_exp_t exponent, std::mt19937_64& random) {
  BigFloat x = BigFloat::with_bits(bits);
  mpfr_set_ui(x.data(), 1, MPFR_RNDN);
  for (mpfr_prec_t left = bits - 1, width = 0; left > 0; left -= width) {
    width = std::min<mpfr_prec_t>(1 + static_cast<mpfr_prec_t>(random() % 64), left);
    const std::uint64_t digits = random() % 4 == 0 ? random() : random() % 2 == 0 ? 0 : ~std::uint64_t{0};
    mpfr_mul_2si(x.data(), x.data(), width, MPFR_RNDN);
    mpfr_add_ui(x.data(), x.data(), digits >> (64 - width), MPFR_RNDN);
  }
  mpfr_set_exp(x.data(), exponent);
  return x;
}

bool same_bits(const BigFloat& a, const BigFloat& b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return a == b && mpfr_signbit(a.data()) == mpfr_signbit(b.data());
}

template <std::size_t N>
void expect_mpfrs_limbs(mpfr_prec_t bits, std::mt19937_64& random) {
  ASSERT_TRUE(detail::has_limbs<N>(bits));
  for (mpfr_exp_t gap = 0; gap < bits; ++gap)
    for (int i = 0; i < 20; ++i) {
      const BigFloat a = runs(bits, 5, random), b = runs(bits, 5 - gap, random);
      BigFloat result = BigFloat::with_bits(bits), expected = result;
      mpfr_add(expected.data(), a.data(), b.data(), MPFR_RNDN);
      detail::add_limbs<N>(result.data(), a.data(), b.data(), gap);
      ASSERT_TRUE(same_bits(result, expected)) << a.str() << " + " << b.str() << ", " << bits << " bits";
      mpfr_mul(expected.data(), a.data(), b.data(), MPFR_RNDN);
      detail::multiply_limbs<N>(result.data(), a.data(), b.data());
      ASSERT_TRUE(same_bits(result, expected)) << a.str() << " * " << b.str() << ", " << bits << " bits";
    }
}

TEST(Limbs, HaveTheSumsAndProductsOfMpfr) {
  std::mt19937_64 random(5);
  for (const mpfr_prec_t bits : {129, 168, 190}) expect_mpfrs_limbs<3>(bits, random);
  for (const mpfr_prec_t bits : {193, 234, 254}) expect_mpfrs_limbs<4>(bits, random);
}

/// (1 + 2^-i + 2^-(bits - 1)) (1 + 2^-j), i + j = bits: half a unit in the last place, and one bit more, at each place
/// below. Without 2^-(bits - 1), a tie.
template <std::size_t N>
void expect_mpfrs_ties(mpfr_prec_t bits) {
  const auto power = [&](mpfr_prec_t exponent) {
    BigFloat result = BigFloat::with_bits(bits);
    mpfr_set_ui_2exp(result.data(), 1, exponent, MPFR_RNDN);
    return result;
  };
  for (mpfr_prec_t j = 1; j < bits; ++j)
    for (const bool tie : {false, true}) {
      BigFloat a = power(0), b = a, expected = a, result = a;
      a += power(j - bits), b += power(-j);
      if (!tie) a += power(1 - bits);
      mpfr_mul(expected.data(), a.data(), b.data(), MPFR_RNDN);
      detail::multiply_limbs<N>(result.data(), a.data(), b.data());
      ASSERT_TRUE(same_bits(result, expected)) << bits << " bits, j = " << j << ", " << (tie ? "a tie" : "no tie");
    }
}

TEST(Limbs, RoundProductsAtAndBesideTies) {
  for (const mpfr_prec_t bits : {129, 168, 190}) expect_mpfrs_ties<3>(bits);
  for (const mpfr_prec_t bits : {193, 234, 254}) expect_mpfrs_ties<4>(bits);
}

/// a op b, a op a, and both in place.
template <class Ours, class Mpfrs>
void expect_mpfrs(Ours ours, Mpfrs mpfrs, const BigFloat& a, const BigFloat& b, mpfr_prec_t bits) {
  BigFloat expected = BigFloat::with_bits(bits), result = expected;
  mpfrs(expected.data(), a.data(), b.data(), MPFR_RNDN);
  ours(result.data(), a.data(), b.data(), MPFR_RNDN);
  EXPECT_TRUE(same_bits(result, expected)) << a.str() << " and " << b.str() << ", " << bits << " bits";
  if (mpfr_get_prec(a.data()) != bits) return;
  result = a, expected = a;
  ours(result.data(), result.data(), b.data(), MPFR_RNDN);
  mpfrs(expected.data(), expected.data(), b.data(), MPFR_RNDN);
  EXPECT_TRUE(same_bits(result, expected)) << a.str() << " and " << b.str() << ", in place, " << bits << " bits";
  ours(result.data(), result.data(), result.data(), MPFR_RNDN);
  mpfrs(expected.data(), expected.data(), expected.data(), MPFR_RNDN);
  EXPECT_TRUE(same_bits(result, expected)) << "twice " << a.str() << " and " << b.str() << ", " << bits << " bits";
}

TEST(Limbs, LeaveToMpfrWhatTheyDoNotHold) {
  std::mt19937_64 random(6);
  for (const mpfr_prec_t bits : {64, 128, 168, 191, 192, 234, 255, 256, 300}) {
    std::vector<BigFloat> operands;
    for (const mpfr_exp_t exponent : {mpfr_exp_t{0}, mpfr_exp_t{1}, mpfr_exp_t{-bits}, mpfr_exp_t{-bits - 1},
                                      mpfr_exp_t{-bits - 2}, mpfr_get_emin(), mpfr_get_emax()})
      operands.push_back(runs(bits, exponent, random));
    operands.push_back(runs(168, 0, random));
    for (const double x :
         {0.0, 1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      operands.push_back(BigFloat::with_bits(bits));
      mpfr_set_d(operands.back().data(), x, MPFR_RNDN);
    }
    for (std::size_t i = operands.size(); i-- > 0;) operands.push_back(-operands[i]);
    for (const BigFloat& a : operands)
      for (const BigFloat& b : operands) {
        expect_mpfrs(detail::add, mpfr_add, a, b, bits);
        expect_mpfrs(detail::multiply, mpfr_mul, a, b, bits);
      }
  }
}

}  // namespace
}  // namespace assay::reference

#endif
