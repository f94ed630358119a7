// sin, cos, erf, floor, round and pow of every number type: at two precisions, at huge arguments, at the edges.
#include "reference/number/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::infinity;
using tests::nan;

const std::vector<double> points = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.25, -7.75, 1e-30, 710.0, 1e22, -0x1.8p1000};

/// |a - b| in units of the last of 40 digits of b.
double distance(const BigFloat& a, const BigFloat& b) {
  if (a == b) return 0;
  return static_cast<double>(abs(BigFloat(a - b)) / abs(b)) * 1e40;
}

template <class Function>
void expect_same_at_two_precisions(Function function, const char* name) {
  for (const double x : points) {
    const PrecisionScope scope(40);
    const BigFloat coarse = function(BigFloat(x));
    const PrecisionScope finer(80);
    EXPECT_LE(distance(coarse, function(BigFloat(x))), 1) << name << " of " << x;
  }
}

TEST(Functions, GiveTheSameAtTwoPrecisions) {
  using F = Functions<BigFloat>;
  expect_same_at_two_precisions(F::sin, "sin");
  expect_same_at_two_precisions(F::cos, "cos");
  expect_same_at_two_precisions(F::erf, "erf");
  expect_same_at_two_precisions([](const BigFloat& x) { return F::pow(abs(x), BigFloat(0.3125)); }, "pow");
}

TEST(Functions, OfKnownValues) {
  using F = Functions<BigFloat>;
  const PrecisionScope scope(40);
  EXPECT_LE(distance(F::sin(BigFloat(1e22)), BigFloat(std::string("-0.852200849767188801772705893753029368261"))), 20)
      << "Ng 1992, Argument reduction for huge arguments: good to the last bit";
  EXPECT_LE(distance(F::erf(BigFloat(1)), BigFloat(std::string("0.8427007929497148693412206350826092592961"))), 20);
  EXPECT_LE(distance(F::cos(F::pi() / BigFloat(3)), BigFloat(0.5)), 20);
  EXPECT_EQ(F::pow(BigFloat(-3), BigFloat(3)), BigFloat(-27));
}

template <class Number>
void expect_steps() {
  using F = Functions<Number>;
  const auto is = [](const Number& x, double y) { return NumberTraits<Number>::to_double(x) == y; };
  for (const auto& [x, below, nearest] : std::vector<std::array<double, 3>>{{0.5, 0, 0},
                                                                            {1.5, 1, 2},
                                                                            {2.5, 2, 2},
                                                                            {-0.5, -1, 0},
                                                                            {-2.5, -3, -2},
                                                                            {-3.5, -4, -4},
                                                                            {7, 7, 7},
                                                                            {1.75, 1, 2},
                                                                            {1024, 1024, 1024}}) {
    EXPECT_TRUE(is(F::floor(Number(x)), below)) << x;
    EXPECT_TRUE(is(F::round(Number(x)), nearest)) << x;
  }
}

TEST(Functions, StepsGoDownAndTiesToEven) {
  expect_steps<double>();
  expect_steps<float>();
  expect_steps<BigFloat>();
  expect_steps<BFloat16>();
#if ASSAY_HAVE_CERTIFIED
  expect_steps<Ball>();
#endif
}

TEST(Functions, AtTheEdges) {
  using F = Functions<BigFloat>;
  const BigFloat inf(infinity);
  EXPECT_TRUE(isnan(F::sin(inf)) && isnan(F::cos(-inf)) && isnan(F::pow(BigFloat(-2), BigFloat(0.5))));
  EXPECT_EQ(F::erf(inf), BigFloat(1));
  EXPECT_EQ(F::erf(-inf), BigFloat(-1));
  EXPECT_EQ(F::floor(inf), inf);
  EXPECT_TRUE(isnan(F::round(BigFloat(nan))));
  EXPECT_EQ(F::pow(BigFloat(nan), BigFloat(0)), BigFloat(1));
  EXPECT_EQ(F::pow(BigFloat(0), BigFloat(0)), BigFloat(1));
  EXPECT_EQ(F::pow(BigFloat(0), BigFloat(2.5)), BigFloat(0));
  EXPECT_EQ(F::pow(BigFloat(0), BigFloat(-2)), inf);
}

TEST(Functions, OfFormatsAreRoundedOnce) {
  const PrecisionScope scope(40);
  for (double x = -40; x < 40; x += 0.37109375) {
    const Single y(x);
    const BigFloat exact(static_cast<double>(y));
    EXPECT_EQ(Functions<Single>::sin(y), Single(static_cast<float>(Functions<BigFloat>::sin(exact)))) << x;
    EXPECT_EQ(Functions<Single>::erf(y), Single(static_cast<float>(Functions<BigFloat>::erf(exact)))) << x;
  }
}

#if ASSAY_HAVE_CERTIFIED
TEST(Functions, BallsEncloseTheirMembers) {
  const PrecisionScope scope(40);
  const BigFloat width(0x1p-20);
  const auto check = [&](auto of_ball, auto exact, double x) {
    const BigFloat middle(x), lower(middle - width), upper(middle + width);
    const Ball all = of_ball(Ball::between(lower, upper));
    for (const BigFloat& member : {lower, middle, upper})
      EXPECT_TRUE(all.contains(Ball::between(exact(member), exact(member)))) << x;
    const Ball at_middle = of_ball(Ball(x));
    const PrecisionScope finer(80);
    EXPECT_TRUE(at_middle.contains(exact(middle))) << x;
  };
  using F = Functions<BigFloat>;
  using B = Functions<Ball>;
  for (const double x : {0.0, 0.5, 1.0, 2.5, -1.0, 1e5}) {
    check([](const Ball& b) { return B::sin(b); }, F::sin, x);
    check([](const Ball& b) { return B::cos(b); }, F::cos, x);
    check([](const Ball& b) { return B::erf(b); }, F::erf, x);
    check([](const Ball& b) { return B::floor(b); }, F::floor, x);
    check([](const Ball& b) { return B::round(b); }, F::round, x);
    check([](const Ball& b) { return B::pow(b, 3); }, [](const BigFloat& b) { return F::pow(b, BigFloat(3)); }, x);
  }
  EXPECT_TRUE(B::erf(Ball(-infinity)).contains(Ball(-1)));
  EXPECT_TRUE(B::pow(Ball(0), Ball(0.25)).is_exact() && B::pow(Ball(0), Ball(0)).contains(Ball(1)));
}
#endif

}  // namespace
}  // namespace assay::reference
