// Any-precision numbers in a failure's words: what is printed is what is true, to the last bit.
#include "validation/core/number.h"
#include "tests/limits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/matchers.h"

namespace assay::validation {
namespace {

using tests::doubles::infinity;
using tests::doubles::nan;

TEST(Number, KnowsItsKind) {
  EXPECT_TRUE(is_nan(BigFloat(nan)));
  EXPECT_FALSE(is_nan(BigFloat(infinity)));
  EXPECT_FALSE(is_finite(BigFloat(nan)));
  EXPECT_FALSE(is_finite(BigFloat(-infinity)));
  EXPECT_TRUE(is_finite(BigFloat(0)));
}

TEST(Number, TellsSpecialsApart) {
  const std::vector<double> specials = {nan, infinity, -infinity};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(same_kind(BigFloat(specials[i]), BigFloat(specials[j])), i == j) << specials[i] << ' ' << specials[j];
    }
    EXPECT_FALSE(same_kind(BigFloat(specials[i]), BigFloat(1)));
    EXPECT_FALSE(same_kind(BigFloat(1), BigFloat(specials[i])));
  }
}

/// 1 + 2^-100 and 1 are the same double, but not the same number.
TEST(Number, SubtractsBeforeItRounds) {
  BigFloat above_one(1);
  above_one += BigFloat(0x1p-100);
  EXPECT_EQ(absolute_difference(above_one, BigFloat(1)), 0x1p-100);
  EXPECT_EQ(absolute_difference(BigFloat(1), above_one), 0x1p-100);
  EXPECT_TRUE(std::isnan(absolute_difference(BigFloat(nan), BigFloat(1))));
  EXPECT_EQ(absolute_difference(BigFloat(-infinity), BigFloat(1)), infinity);
}

TEST(Number, PrintsAsManyDigitsAsAskedFor) {
  EXPECT_EQ(to_decimal(BigFloat("0.123456789012345678901234567890"), 12), "0.123456789012");
  EXPECT_EQ(to_decimal(BigFloat("0.123456789012345678901234567890"), 25), "0.1234567890123456789012346");
}

TEST(Show, GivesTheShortestDecimalAndTheBits) {
  EXPECT_EQ(show(0.1F), "0.1 (0x1.99999ap-4)");
  EXPECT_EQ(show(-1.5F), "-1.5 (-0x1.8p+0)");
  EXPECT_EQ(show(0.0F), "0 (0x0p+0)");
  EXPECT_EQ(show(-0.0F), "-0 (-0x0p+0)");
}

TEST(Show, GivesTheBitsOfDoubles) {
  EXPECT_EQ(show(0.1), "0.1 (0x1.999999999999ap-4)");
  EXPECT_EQ(show(5e-324), "5e-324 (0x0.0000000000001p-1022)");
  EXPECT_EQ(show(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(show(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Show, SpellsOutSpecials) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float quiet = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(show(inf), "inf");
  EXPECT_EQ(show(-inf), "-inf");
  EXPECT_EQ(show(quiet), "nan");
  EXPECT_EQ(show(-quiet), "nan");
}

TEST(Explain, ShowsExactRoundedGotAndTheErrorInBoundsAndUlps) {
  const BigFloat exact("0.1000000000000000000000001");
  const float got = std::nextafter(0.1F, 1.0F);
  const double error = absolute_difference(BigFloat(got), exact);
  EXPECT_EQ(explain(got, exact, error, error / 4),
            "  exact    0.1000000000000000000000001\n"
            "  rounded  0.1 (0x1.99999ap-4)\n"
            "  got      0.10000001 (0x1.99999cp-4)\n"
            "  error    8.94e-09 = 4 x the bound 2.24e-09 = 1.2 ULP");
}

TEST(Explain, RoundsToDoubleForADouble) {
  const BigFloat exact("0.1000000000000000000000001");
  const double got = std::nextafter(0.1, 1.0);
  const double error = absolute_difference(BigFloat(got), exact);
  EXPECT_EQ(explain(got, exact, error, error / 4),
            "  exact    0.1000000000000000000000001\n"
            "  rounded  0.1 (0x1.999999999999ap-4)\n"
            "  got      0.10000000000000002 (0x1.999999999999bp-4)\n"
            "  error    1.94e-17 = 4 x the bound 4.86e-18 = 1.4 ULP");
}

/// One bit beyond the tie between two float32 numbers. By way of a double it would be a tie, and go to even.
TEST(Explain, RoundsTheExactValueOnce) {
  const BigFloat exact("1.00000005960464477539062500000000001");
  EXPECT_THAT(explain(1.0F, exact, 1, 1), HasSubstr("rounded  1.0000001 (0x1.000002p+0)"));
}

TEST(Explain, CountsUlpsAtZeroAtTheLargestNumberAndBeyond) {
  const float max = std::numeric_limits<float>::max();
  const BigFloat beyond = BigFloat(max) + BigFloat(0x1p103);  // half a gap: the infinity is as near
  EXPECT_THAT(explain(0x1p-149F, BigFloat(0x1p-149), 0x1p-149, 1), HasSubstr(" = 1 ULP"));
  EXPECT_THAT(explain(1.0F, BigFloat(0), 1, 0.25), EndsWith("  error    1 = 4 x the bound 0.25"));
  EXPECT_THAT(explain(std::nextafter(max, 0.0F), BigFloat(max), 0x1p104, 1), HasSubstr(" = 1 ULP"));
  EXPECT_THAT(explain(max, beyond, 0x1p103, 1), HasSubstr(" = 0.5 ULP"));
  EXPECT_THAT(explain(1.0, BigFloat(std::numeric_limits<double>::max()), 0x1p971, 1), HasSubstr(" = 1 ULP"));
}

TEST(Explain, CountsUlpsOfTheTypeThatADoubleHolds) {
  const auto one_ulp = [](Dtype dtype, double gap) { return explain(1 + gap, BigFloat(1), gap, gap, dtype); };
  for (const auto& [dtype, gap] : {std::pair{Dtype::float64, 0x1p-52},
                                   {Dtype::float32, 0x1p-23},
                                   {Dtype::bfloat16, 0x1p-7},
                                   {Dtype::float16, 0x1p-10}})
    EXPECT_THAT(one_ulp(dtype, gap), EndsWith(" = 1 ULP")) << name_of(dtype);
  EXPECT_THAT(explain(0.1F, BigFloat("0.1"), 0, 1, Dtype::float32), HasSubstr("got      0.1 (0x1.99999ap-4)"));
  EXPECT_THAT(explain(0, BigFloat(0x1p-149), 0x1p-149, 1, Dtype::float32), EndsWith(" = 1 ULP"));
}

TEST(Explain, SaysWhatIsInfiniteOrNotANumber) {
  constexpr float quiet = std::numeric_limits<float>::quiet_NaN();
  const auto text = explain(quiet, BigFloat(1), nan, 0.5);
  EXPECT_THAT(text, EndsWith("got      nan where a finite number was due"));
  EXPECT_THAT(explain(-std::numeric_limits<float>::infinity(), BigFloat(1), infinity, 0.5),
              EndsWith("got      -inf where a finite number was due"));
}

TEST(Explain, SaysThatThereIsNoBound) {
  const std::string no_bound = "no bound exists for this element: its derivation gives nan";
  EXPECT_THAT(explain(1.5F, BigFloat(1), 0.5, nan), EndsWith("  error    0.5 = 4.19e+06 ULP\n  " + no_bound));
  EXPECT_THAT(explain(static_cast<float>(nan), BigFloat(1), nan, nan),
              EndsWith("got      nan where a finite number was due\n  " + no_bound));
}

}  // namespace
}  // namespace assay::validation
