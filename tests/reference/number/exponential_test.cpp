// The exponential has the bits of mpfr_exp for every operand and every precision.
#if defined(ASSAY_HAVE_MPFR)

#include "reference/number/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "reference/number/big_float.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::infinity;

void expect_exp(const BigFloat& x, mpfr_prec_t bits) {
  BigFloat result = BigFloat::with_bits(bits), expected = result;
  detail::exp(result.data(), x.data(), MPFR_RNDN);
  mpfr_exp(expected.data(), x.data(), MPFR_RNDN);
  EXPECT_TRUE(isnan(expected) ? isnan(result) : result == expected)
      << bits << " bits, x = " << x << ": " << result.str() << " for " << expected.str();
}

TEST(Exponential, IsMpfrs) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (const mpfr_prec_t bits : {2, 24, 53, 168, 201, 234, 335, 3324, 5000})
    for (int i = 0; i < (bits < 1000 ? 300 : 3); ++i) expect_exp(normal(random) * std::exp2(i % 30 - 15), bits);
}

TEST(Exponential, IsMpfrsAtTheEndsOfTheRange) {
  for (const double x : {0.0, -0.0, 1.0, -1.0, 0x1p-1074, -0x1p-400, 1048575.5, -1048576.0, 1e9, -1e9, 1e18, -1e18,
                         1e300, -1e300, infinity, -infinity, NumberTraits<double>::nan()})
    for (const mpfr_prec_t bits : {53, 168, 234, 1000}) expect_exp(x, bits);
}

/// ln of the middle between two neighbours: 20 bits more do not show which is nearer.
TEST(Exponential, IsMpfrsBesideTies) {
  const PrecisionScope scope(100);
  for (const mpfr_prec_t bits : {53, 168, 234})
    for (int i = 0; i < 20; ++i) {
      BigFloat middle = BigFloat(2 * i + 1);
      mpfr_div_2si(middle.data(), middle.data(), bits, MPFR_RNDN);
      const BigFloat x = log(BigFloat(1) + middle);
#if defined(ASSAY_HAVE_ARB)
      BigFloat unused = BigFloat::with_bits(bits);
      EXPECT_FALSE(detail::try_exp(unused.data(), x.data())) << bits << " " << i;
#endif
      expect_exp(x, bits);
    }
}

}  // namespace
}  // namespace assay::reference

#endif
