#include "reference/number/big_float.h"
#include "tests/reference/expect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace assay::reference {
namespace {

using BigTraits = NumberTraits<BigFloat>;

using tests::infinity;

/// sqrt(2) by Newton's iteration, an irrational number made with arithmetic alone.
BigFloat root_of_two() {
  BigFloat x(1.5);
  for (int i = 0; i < 12; ++i) x = (x + BigFloat(2) / x) / BigFloat(2);
  return x;
}

TEST(BigFloat, HasTheDigitsAskedFor) {
  for (const int digits : {20, 50, 100}) {
    PrecisionScope scope(digits);
    const BigFloat x = root_of_two(), error = abs(BigFloat(x * x - 2));
    EXPECT_LT(error, BigFloat("1e-" + std::to_string(digits - 1))) << digits;
    EXPECT_LT(abs(BigFloat(exp(log(x)) - x)), BigFloat("1e-" + std::to_string(digits - 2))) << digits;
  }
}

TEST(BigFloat, ConvertsExactlyFromFloatAndDouble) {
  for (const double x : {0.0, 0.1, -1e300, 5e-324, 1.0, 2.2250738585072014e-308, 1.7976931348623157e308, -infinity})
    EXPECT_EQ(static_cast<double>(BigTraits::from_real(x)), x);
  EXPECT_EQ(BigTraits::from_real(0.1), BigFloat("0.1000000000000000055511151231257827021181583404541015625"));
  EXPECT_EQ(static_cast<float>(BigTraits::from_real(0.1f)), 0.1f);
  EXPECT_TRUE(std::isnan(static_cast<double>(BigTraits::nan())));
}

/// Between two neighbours: below the middle, at it, above it; also where numbers are subnormal.
template <class Real>
void expect_nearest(Real lower) {
  const Real upper = std::nextafter(lower, std::numeric_limits<Real>::infinity());
  const BigFloat gap = BigFloat(upper) - BigFloat(lower), middle = BigFloat(lower) + gap / BigFloat(2);
  const BigFloat little = gap / BigFloat(0x1p60);  // lost by a conversion that rounds twice
  const Real even = std::fmod(static_cast<Real>(BigFloat(lower) / gap), Real(2)) == 0 ? lower : upper;
  for (const Real sign : {Real(1), Real(-1)}) {
    EXPECT_EQ(static_cast<Real>(BigFloat(sign) * (middle - little)), sign * lower) << lower;
    EXPECT_EQ(static_cast<Real>(BigFloat(sign) * (middle + little)), sign * upper) << lower;
    EXPECT_EQ(static_cast<Real>(BigFloat(sign) * middle), sign * even) << lower;
  }
}

TEST(BigFloat, IsRoundedToTheNearestRealTiesToEven) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 200; ++i) {
    const double exponent = std::uniform_real_distribution<double>(-1073, 1020)(random), x = std::exp2(exponent);
    expect_nearest(x);
    if (exponent > -149 && exponent < 126) expect_nearest(static_cast<float>(x));
  }
  expect_nearest(0.0), expect_nearest(0.0F);
  expect_nearest(std::nextafter(std::numeric_limits<double>::min(), 0.0));
  expect_nearest(std::nextafter(std::numeric_limits<float>::min(), 0.0F));
}

TEST(BigFloat, ComputesInPlaceAndOutOfPlaceAlike) {
  const BigFloat a = root_of_two(), b = BigFloat(7) / BigFloat(3);
  BigFloat x = a;
  EXPECT_EQ(x += b, a + b);
  x = a;
  EXPECT_EQ(x -= b, a - b);
  x = a;
  EXPECT_EQ(x *= b, a * b);
  x = a;
  EXPECT_EQ(x /= b, a / b);
  x = a;
  x += x;
  EXPECT_EQ(x, 2 * a);
  EXPECT_EQ(a - a, 0);
}

TEST(BigFloat, CopiesMovesAndAssigns) {
  for (const int digits :
       {20, 114, std::min(400, max_digits)}) {  // digits kept in the object, the most of them, and digits on the heap
    PrecisionScope scope(digits);
    const BigFloat x = root_of_two();
    BigFloat copy(x), assigned;
    assigned = copy;
    EXPECT_EQ(copy, x);
    EXPECT_EQ(assigned, x);
    BigFloat moved(std::move(copy));
    EXPECT_EQ(moved, x);
    copy = x;
    EXPECT_EQ(copy, x);
    copy = std::move(moved);
    EXPECT_EQ(copy, x);
    moved = BigFloat(3);
    EXPECT_EQ(moved, 3);
    std::swap(moved, copy);
    EXPECT_EQ(moved, x);
    EXPECT_EQ(copy, 3);
    BigFloat& itself = moved;
    moved = itself;
    EXPECT_EQ(moved, x);
    moved = std::move(itself);
    EXPECT_EQ(moved, x);
    std::vector<BigFloat> many(3, x);
    for (int i = 0; i < 20; ++i) many.push_back(many.front());
    for (const BigFloat& each : many) EXPECT_EQ(each, x);
  }
}

TEST(BigFloat, ComputesInSeveralThreadsAtOnce) {
  BigFloat coarse, fine;
  const auto compute = [](int digits, BigFloat& result) {
    PrecisionScope scope(digits);
    for (int i = 0; i < 200; ++i) result = exp(log(root_of_two()));
  };
  std::thread one(compute, 20, std::ref(coarse)), two(compute, 100, std::ref(fine));
  one.join(), two.join();
  PrecisionScope scope(100);
  EXPECT_LT(abs(BigFloat(fine * fine - 2)), BigFloat("1e-97"));
  EXPECT_LT(abs(BigFloat(coarse * coarse - 2)), BigFloat("1e-18"));
}

TEST(BigFloat, KeepsItsValueAcrossPrecisions) {
  PrecisionScope fine(100);
  const BigFloat x = root_of_two();
  BigFloat y(1);
  {
    PrecisionScope coarse(20);
    y = x;
    const BigFloat copy(x);
    EXPECT_EQ(copy, x);
  }
  EXPECT_EQ(y, x);
}

TEST(BigFloat, OrdersNumbersAndNotNan) {
  EXPECT_TRUE(BigFloat(1) < 2 && BigFloat(2.5) > 2 && BigFloat(2) <= 2 && BigFloat(-infinity) < BigFloat(-1e300));
  const BigFloat nan = BigTraits::nan();
  EXPECT_FALSE(nan == nan);
  EXPECT_FALSE(nan < BigFloat(1));
  EXPECT_FALSE(nan >= BigFloat(1));
  EXPECT_TRUE(BigTraits::is_nan(nan));
  EXPECT_FALSE(BigTraits::is_finite(nan));
  EXPECT_FALSE(BigTraits::is_finite(BigTraits::infinity()));
  EXPECT_FALSE(BigTraits::is_positive(nan));
  EXPECT_TRUE(BigTraits::is_positive(BigTraits::infinity()));
}

TEST(BigFloat, HasExpAndLogAtTheEnds) {
  EXPECT_EQ(BigTraits::exp(BigFloat(-infinity)), 0);
  EXPECT_EQ(BigTraits::log(BigFloat(0)), BigFloat(-infinity));
  EXPECT_EQ(BigTraits::log(BigFloat(1)), 0);
  EXPECT_GT(BigTraits::exp(BigFloat(-1e6)), 0);
}

TEST(BigFloat, PrintsDecimals) {
  EXPECT_EQ(BigTraits::to_string(BigFloat(0.1), 30), "0.100000000000000005551115123126");
  EXPECT_EQ(BigTraits::to_string(BigFloat(-2), 5), "-2");
  std::ostringstream out;
  out << BigFloat(0.25);
  EXPECT_EQ(out.str(), "0.25");
  EXPECT_EQ(BigFloat(std::string("0.5")), 0.5);
  EXPECT_ANY_THROW(BigFloat(std::string("half")));
}

}  // namespace
}  // namespace assay::reference
