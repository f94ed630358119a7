// Black boxes: right gradients pass, one element off by a hundredth is caught, and noise is no proof.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "validation/core/random.h"
#include "validation/gradcheck/black_box.h"

namespace assay::validation {
namespace {

using tests::doubles::nan;

using Numbers = std::vector<double>;

/// ln sum exp(x) + sum sin(x_i) x_{i+1}, computed in Real.
template <class Real>
double smooth(std::span<const double> given) {
  const std::vector<Real> x(given.begin(), given.end());
  Real sum = 0, rest = 0;
  for (const Real value : x) sum += std::exp(value);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) rest += std::sin(x[i]) * x[i + 1];
  return static_cast<double>(std::log(sum) + rest);
}

template <class Real>
Numbers gradient_of_smooth(const Numbers& given) {
  const std::vector<Real> x(given.begin(), given.end());
  Real sum = 0;
  for (const Real value : x) sum += std::exp(value);
  Numbers g;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Real derivative = std::exp(x[i]) / sum;
    if (i + 1 < x.size()) derivative += std::cos(x[i]) * x[i + 1];
    if (i > 0) derivative += std::sin(x[i - 1]);
    g.push_back(static_cast<double>(derivative));
  }
  return g;
}

/// Numbers of float32, between 1/4 and 2, of either sign.
Numbers point(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  Numbers x;
  for (std::size_t i = 0; i < n; ++i)
    x.push_back(double{static_cast<float>(random.real(0.25, 2) * (random.chance(0.5) ? 1 : -1))});
  return x;
}

template <class Real>
BlackBoxOptions options() {
  const Dtype dtype = sizeof(Real) == 4 ? Dtype::float32 : Dtype::float64;
  return {.dtype = dtype, .gradient_dtype = dtype};
}

template <class Real>
class BlackBox : public testing::Test {};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(BlackBox, Types);

TYPED_TEST(BlackBox, PassesARightGradient) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    const Numbers x = point(1 + 3 * seed, seed);
    const auto record = check_black_box(smooth<TypeParam>, x, gradient_of_smooth<TypeParam>(x), options<TypeParam>());
    EXPECT_EQ(record.verdict, Verdict::pass) << seed << '\n' << to_text(record);
  }
}

TYPED_TEST(BlackBox, CatchesOneElementThatIsOffByAHundredth) {
  const Numbers x = point(8, 7);
  for (std::size_t i = 0; i < x.size(); ++i) {
    Numbers g = gradient_of_smooth<TypeParam>(x);
    g[i] *= 1.01;
    const auto record = check_black_box(smooth<TypeParam>, x, g, options<TypeParam>());
    EXPECT_EQ(record.verdict, Verdict::fail) << i;
    ASSERT_EQ(record.worst_elements.size(), 1U) << to_text(record);
    EXPECT_EQ(record.worst_elements[0].place, "gradient[" + std::to_string(i) + "]");
    EXPECT_NEAR(record.worst_elements[0].expected, g[i] / 1.01, 2e-3 * std::abs(g[i]));
  }
}

TYPED_TEST(BlackBox, CatchesItByDirectionsAloneToo) {
  const Numbers x = point(40, 8);
  Numbers g = gradient_of_smooth<TypeParam>(x);
  BlackBoxOptions directions = options<TypeParam>();
  directions.coordinates = 0;
  EXPECT_EQ(check_black_box(smooth<TypeParam>, x, g, directions).verdict, Verdict::pass);
  g[17] += 0.02;
  EXPECT_EQ(check_black_box(smooth<TypeParam>, x, g, directions).verdict, Verdict::fail);
}

TYPED_TEST(BlackBox, FailsForNanInfinityZeroAndSign) {
  const Numbers x = point(5, 9), right = gradient_of_smooth<TypeParam>(x);
  for (const double bad : {nan, HUGE_VAL, -HUGE_VAL}) {
    Numbers g = right;
    g[2] = bad;
    const auto record = check_black_box(smooth<TypeParam>, x, g, options<TypeParam>());
    EXPECT_EQ(record.verdict, Verdict::fail) << bad;
    EXPECT_EQ(record.worst_elements[0].place, "gradient[2]");
  }
  Numbers negative;
  for (const double value : right) negative.push_back(-value);
  const auto sign = check_black_box(smooth<TypeParam>, x, negative, options<TypeParam>());
  EXPECT_EQ(sign.verdict, Verdict::fail);
  EXPECT_THAT(sign.patterns, Contains(HasSubstr("got = -expected")));
  const auto zero = check_black_box(smooth<TypeParam>, x, Numbers(5), options<TypeParam>());
  EXPECT_EQ(zero.verdict, Verdict::fail);
  EXPECT_THAT(zero.patterns, Contains(HasSubstr("0 everywhere")));
}

/// The same point always gives the same number, but neighbours have nothing in common below `size`.
double noisy(std::span<const double> x, double size) {
  std::uint64_t hash = 1;
  for (const double value : x) hash = Random(hash ^ std::hash<double>{}(value)).bits();
  return smooth<double>(x) + size * Random(hash).gaussian();
}

TYPED_TEST(BlackBox, CannotDecideOnNoise) {
  const Numbers x = point(6, 10), g = gradient_of_smooth<TypeParam>(x);
  const auto loud = [](std::span<const double> at) { return noisy(at, 1.0); };
  const auto record = check_black_box(loud, x, g, options<TypeParam>());
  EXPECT_EQ(record.verdict, Verdict::mistrusted) << to_text(record);
  EXPECT_THAT(record.explanation, HasSubstr("cannot decide"));
  const auto faint = [](std::span<const double> at) { return noisy(at, 1e-6); };
  EXPECT_EQ(check_black_box(faint, x, g, options<TypeParam>()).verdict, Verdict::pass) << "though noise is there";
}

/// float32 inside, though float64 is declared: measured, so that a right gradient does not fail.
TEST(BlackBoxFunction, MeasuresTheRoundingThatIsNotDeclared) {
  for (const std::uint64_t seed : {11U, 12U, 13U, 14U}) {
    const Numbers x = point(7, seed);
    const auto record = check_black_box(smooth<float>, x, gradient_of_smooth<float>(x),
                                        {.dtype = Dtype::float64, .gradient_dtype = Dtype::float32});
    EXPECT_EQ(record.verdict, Verdict::pass) << to_text(record);
  }
}

TEST(BlackBoxFunction, MistrustsAConstantAndFailsItsWrongGradient) {
  const auto constant = [](std::span<const double>) { return 4.0; };
  const auto record = check_black_box(constant, Numbers{1, 2}, Numbers{0, 0});
  EXPECT_EQ(record.verdict, Verdict::mistrusted);
  EXPECT_THAT(record.explanation, HasSubstr("a gradient of 0 proves nothing"));
  EXPECT_EQ(check_black_box(constant, Numbers{1, 2}, Numbers{0, 1}).verdict, Verdict::fail);
}

/// Many elements are seen together, along random directions, before each is seen alone.
TEST(BlackBoxFunction, MistrustsElementsThatNoiseHidesAndTrustsThoseThatAreZero) {
  const Numbers x(200, 1.0), gradient(200, 1.0);
  const auto above = [](double constant) {
    return [constant](std::span<const double> at) {
      double sum = 0;
      for (const double value : at) sum += value;
      return double{static_cast<float>(constant + sum)};
    };
  };
  EXPECT_EQ(check_black_box(above(0), x, gradient).verdict, Verdict::pass);
  const auto noisy = check_black_box(above(0x1p16), x, gradient);
  EXPECT_EQ(noisy.verdict, Verdict::mistrusted) << to_text(noisy);
  EXPECT_THAT(noisy.explanation, HasSubstr("200 of 200 elements are too small beside the noise of f"));
  Numbers sparse(200, 0.0);
  sparse[7] = 2;
  const auto record = check_black_box([](std::span<const double> at) { return at[7] * at[7]; }, x, sparse);
  EXPECT_EQ(record.verdict, Verdict::pass) << to_text(record);
}

TEST(BlackBoxFunction, StaysWithinTheDomainWhereItCan) {
  const auto logarithm = [](std::span<const double> x) { return std::log(x[0]) + std::sqrt(x[1]); };
  EXPECT_EQ(check_black_box(logarithm, Numbers{1e-3, 1e3}, Numbers{1e3, 0.5 / std::sqrt(1e3)}).verdict, Verdict::pass);
}

TEST(BlackBoxFunction, TellsOfANumberThatIsNoneAndOfWhatIsThrown) {
  const auto none = [](std::span<const double>) { return nan; };
  EXPECT_EQ(check_black_box(none, Numbers{1}, Numbers{1}).verdict, Verdict::error);
  const auto throws = [](std::span<const double>) -> double { throw std::runtime_error("no"); };
  EXPECT_THAT(check_black_box(throws, Numbers{1}, Numbers{1}).explanation, HasSubstr("threw: no"));
  const auto beside = [](std::span<const double> x) { return x[0] == 1 ? 1 : nan; };
  EXPECT_EQ(check_black_box(beside, Numbers{1}, Numbers{1}).verdict, Verdict::mistrusted);
  EXPECT_THROW(check_black_box(none, Numbers{1}, Numbers{}), std::invalid_argument);
}

}  // namespace
}  // namespace assay::validation
