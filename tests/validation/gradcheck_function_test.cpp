// Gradients of functions that are given as code: right ones pass, wrong ones fail, and what proves nothing is not
// trusted.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "validation/core/number.h"
#include "validation/gradcheck/function.h"

/// Functions of users, who know none of our namespaces.
namespace user {

/// -ln softmax(x)[0], shifted by the largest x as kernels do it.
struct NegativeLogSoftmax {
  template <class Number>
  Number operator()(const std::vector<Number>& x) const {
    Number largest = x[0], sum(0);
    for (const Number& value : x) largest = max(largest, value);
    for (const Number& value : x) sum += exp(value - largest);
    return log(sum) + largest - x[0];
  }

  /// In float, as a kernel would.
  static std::vector<double> gradient(const std::vector<double>& x) {
    float largest = static_cast<float>(x[0]), sum = 0;
    for (const double value : x) largest = std::max(largest, static_cast<float>(value));
    for (const double value : x) sum += std::exp(static_cast<float>(value) - largest);
    std::vector<double> g;
    for (const double value : x) g.push_back(double{std::exp(static_cast<float>(value) - largest) / sum});
    g[0] = double{static_cast<float>(g[0]) - 1};
    return g;
  }
};

/// Every function that a Dual has, each at a place where it is smooth.
struct OneOfEach {
  template <class Number>
  Number operator()(const std::vector<Number>& x) const {
    const Number& a = x[0];
    const Number& b = x[1];
    return exp(a) * log(b) + sqrt(b) / tanh(a) - sin(a * b) + cos(a) + pow(b, a) + pow(a, Number(3)) + abs(a - b) +
           max(a, b) * min(a, b) + Number(2) / b - -a;
  }
};

}  // namespace user

namespace assay::validation {
namespace {

using reference::BigFloat;

using tests::doubles::infinity;
using tests::doubles::nan;

using user::NegativeLogSoftmax;
using user::OneOfEach;
using Numbers = std::vector<double>;

TEST(Duals, DifferentiateEachFunctionAsItsDefinitionDoes) {
  const double a = 0.75, b = 2.5;
  const Numbers x = {a, b};
  const reference::PrecisionScope scope(60);
  const DualGradient g = dual_gradient(OneOfEach(), x);
  const double th = std::tanh(a);
  const double by_a = std::exp(a) * std::log(b) - std::sqrt(b) * (1 - th * th) / (th * th) - b * std::cos(a * b) -
                      std::sin(a) + std::log(b) * std::pow(b, a) + 3 * a * a - 1 + b + 1;
  const double by_b =
      std::exp(a) / b + 0.5 / std::sqrt(b) / th - a * std::cos(a * b) + a * std::pow(b, a - 1) + 1 + a - 2 / (b * b);
  EXPECT_NEAR(to_double(g.derivative[0]), by_a, 1e-13);
  EXPECT_NEAR(to_double(g.derivative[1]), by_b, 1e-13);
  EXPECT_EQ(check_gradient(OneOfEach(), x, Numbers{by_a, by_b}, {.dtype = Dtype::float64}).verdict, Verdict::pass);
}

TEST(CheckGradient, PassesWhatAFloatKernelGivesAndFailsALittleMore) {
  for (const Numbers& x : {Numbers{0.5, -1, 2, 0.25}, Numbers{8, 1, -3, 2}, Numbers{-80, 1, 1, 20}, Numbers{1, 1, 1}}) {
    const Numbers g = NegativeLogSoftmax::gradient(x);
    const GradcheckRecord right = check_gradient(NegativeLogSoftmax(), x, g);
    EXPECT_EQ(right.verdict, Verdict::pass) << to_text(right);
    EXPECT_EQ(right.elements, static_cast<std::int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      Numbers wrong = g;
      wrong[i] += 1e-4 * std::abs(g[i]) + 1e-30;
      const GradcheckRecord record = check_gradient(NegativeLogSoftmax(), x, wrong);
      EXPECT_EQ(record.verdict, Verdict::fail) << i;
      ASSERT_EQ(record.worst_elements.size(), 1U);
      EXPECT_EQ(record.worst_elements[0].place, "gradient[" + std::to_string(i) + "]");
      EXPECT_EQ(record.worst_elements[0].got, wrong[i]);
    }
  }
}

TEST(CheckGradient, BoundsAreNotSlack) {
  const Numbers x = {0.5, -1, 2, 0.25};
  const GradcheckRecord record = check_gradient(NegativeLogSoftmax(), x, NegativeLogSoftmax::gradient(x));
  EXPECT_GT(record.worst.share, 1e-3);
  EXPECT_LT(record.worst.share, 1);
}

TEST(CheckGradient, FailsForNanInfinityAndZero) {
  const Numbers x = {0.5, -1, 2};
  for (const double bad : {nan, infinity, -infinity, 0.0}) {
    Numbers g = NegativeLogSoftmax::gradient(x);
    g[1] = bad;
    const GradcheckRecord record = check_gradient(NegativeLogSoftmax(), x, g);
    EXPECT_EQ(record.verdict, Verdict::fail) << bad;
    EXPECT_THAT(record.worst_elements[0].place, "gradient[1]");
  }
}

TEST(CheckGradient, SeesPatternsAndNamesElementsByTheirIndices) {
  const Numbers x = {0.5, -1, 2, 0.25, 1, -0.5};
  Numbers g = NegativeLogSoftmax::gradient(x);
  for (double& value : g) value = -value;
  const GradcheckRecord record = check_gradient(NegativeLogSoftmax(), x, g, {.shape = {2, 3}});
  EXPECT_THAT(record.patterns, Contains(HasSubstr("got = -expected")));
  EXPECT_THAT(record.worst_elements[0].place, HasSubstr("gradient[i="));
  const Numbers transposed = {g[0], g[3], g[1], g[4], g[2], g[5]};
  Numbers back;
  for (const double value : transposed) back.push_back(-value);
  EXPECT_THAT(check_gradient(NegativeLogSoftmax(), x, back, {.shape = {2, 3}}).patterns,
              Contains(HasSubstr("laid out as [3, 2] where [2, 3] is due")));
}

struct SumOfSizes {
  template <class Number>
  Number operator()(const std::vector<Number>& x) const {
    return abs(x[0]) + Number(2) * x[1];
  }
};

TEST(CheckGradient, SaysWhereThereIsNoDerivative) {
  for (const double got : {-1.0, 0.0, 0.5, 1.0}) {
    const GradcheckRecord record = check_gradient(SumOfSizes(), Numbers{0, 3}, Numbers{got, 2});
    EXPECT_EQ(record.verdict, Verdict::mistrusted) << got;
    EXPECT_THAT(record.notes, Contains(HasSubstr("gradient[0]: f is not differentiable there: -1 from the left, 1")));
  }
  for (const double got : {-1.5, 1.001, nan})
    EXPECT_EQ(check_gradient(SumOfSizes(), Numbers{0, 3}, Numbers{got, 2}).verdict, Verdict::fail) << got;
  EXPECT_EQ(check_gradient(SumOfSizes(), Numbers{0, 3}, Numbers{0, 2.1}).verdict, Verdict::fail)
      << "the other element is judged all the same";
  EXPECT_EQ(check_gradient(SumOfSizes(), Numbers{1e-9, 3}, Numbers{1, 2}).verdict, Verdict::pass);
}

struct Largest {
  template <class Number>
  Number operator()(const std::vector<Number>& x) const {
    return max(x[0], x[1]);
  }
};

TEST(CheckGradient, SaysWhereAMaximumIsTied) {
  const GradcheckRecord record = check_gradient(Largest(), Numbers{2, 2}, Numbers{1, 0});
  EXPECT_EQ(record.verdict, Verdict::mistrusted);
  EXPECT_EQ(record.notes.size(), 2U);
  EXPECT_EQ(check_gradient(Largest(), Numbers{2, 1}, Numbers{1, 0}).verdict, Verdict::pass);
  EXPECT_EQ(check_gradient(Largest(), Numbers{2, 1}, Numbers{0, 1}).verdict, Verdict::fail);
}

/// Has another derivative for duals than for differences, as a function with a branch on the type would.
struct TwoFaced {
  BigFloat operator()(const std::vector<BigFloat>& x) const { return x[0] * x[0]; }
  Dual operator()(const std::vector<Dual>& x) const { return Dual(3) * x[0]; }
};

TEST(CheckGradient, TrustsNothingThatDisagreesWithItself) {
  const GradcheckRecord record = check_gradient(TwoFaced(), Numbers{2}, Numbers{4});
  EXPECT_EQ(record.verdict, Verdict::mistrusted);
  EXPECT_THAT(record.explanation, HasSubstr("the derivative by dual numbers is 3, by central differences 4"));
}

TEST(CheckExact, PassesAndFailsFunctionsOfNumbersAlone) {
  const ExactFunction f = [](const std::vector<BigFloat>& x) { return x[0] * x[0] * x[1] + exp(x[1]); };
  const Numbers x = {3, 0.5};
  const Numbers g = {3, 9 + std::exp(0.5)};
  EXPECT_EQ(check_exact(f, x, g, {.dtype = Dtype::float64}).verdict, Verdict::pass);
  for (const std::size_t i : {0U, 1U}) {
    Numbers wrong = g;
    wrong[i] *= 1 + 1e-12;
    EXPECT_EQ(check_exact(f, x, wrong, {.dtype = Dtype::float64}).verdict, Verdict::fail);
    EXPECT_EQ(check_exact(f, x, wrong, {.dtype = Dtype::float32}).verdict, Verdict::pass);
    wrong[i] = nan;
    EXPECT_EQ(check_exact(f, x, wrong).verdict, Verdict::fail);
  }
}

TEST(CheckExact, TakesAToleranceInUnitsOfRoundoff) {
  const ExactFunction f = [](const std::vector<BigFloat>& x) { return x[0] * x[0]; };
  const double off = 1 + 8 * 0x1p-53;
  EXPECT_EQ(check_exact(f, Numbers{0.5}, Numbers{off}, {.dtype = Dtype::float64, .tolerance = 9}).verdict,
            Verdict::pass);
  EXPECT_EQ(check_exact(f, Numbers{0.5}, Numbers{off}, {.dtype = Dtype::float64, .tolerance = 7}).verdict,
            Verdict::fail);
}

TEST(CheckExact, NoticesRoundingInside) {
  const ExactFunction in_double = [](const std::vector<BigFloat>& x) {
    return BigFloat(std::sin(static_cast<double>(x[0])));
  };
  const GradcheckRecord record = check_exact(in_double, Numbers{1}, Numbers{std::cos(1)});
  EXPECT_EQ(record.verdict, Verdict::mistrusted);
  EXPECT_THAT(record.explanation, HasSubstr("rounds inside"));
  const ExactFunction step = [](const std::vector<BigFloat>& x) { return BigFloat(x[0] < BigFloat(1) ? 0 : 1); };
  EXPECT_EQ(check_exact(step, Numbers{1}, Numbers{0}).verdict, Verdict::mistrusted) << "a jump at x";
  const GradcheckRecord constant = check_exact(step, Numbers{3}, Numbers{0});
  EXPECT_EQ(constant.verdict, Verdict::mistrusted);
  EXPECT_THAT(constant.explanation, HasSubstr("a gradient of 0 proves nothing"));
  EXPECT_EQ(check_exact(step, Numbers{3}, Numbers{1}).verdict, Verdict::fail);
  const ExactFunction first = [](const std::vector<BigFloat>& x) { return x[0] * x[0]; };
  EXPECT_EQ(check_exact(first, Numbers{3, 5}, Numbers{6, 0}).verdict, Verdict::pass) << "one element is 0";
}

TEST(CheckExact, TellsWhatTheFunctionThrewAndWhatIsNoNumber) {
  const ExactFunction throws = [](const std::vector<BigFloat>&) -> BigFloat { throw std::runtime_error("no"); };
  const GradcheckRecord record = check_exact(throws, Numbers{1}, Numbers{1});
  EXPECT_EQ(record.verdict, Verdict::error);
  EXPECT_THAT(record.explanation, HasSubstr("threw: no"));
  const ExactFunction logarithm = [](const std::vector<BigFloat>& x) { return log(x[0]); };
  EXPECT_EQ(check_exact(logarithm, Numbers{-1}, Numbers{-1}).verdict, Verdict::mistrusted);
}

TEST(CheckExact, RefusesArgumentsThatDoNotFit) {
  const ExactFunction f = [](const std::vector<BigFloat>& x) { return x[0]; };
  EXPECT_THROW(check_exact(f, Numbers{}, Numbers{}), std::invalid_argument);
  EXPECT_THROW(check_exact(f, Numbers{1, 2}, Numbers{1}), std::invalid_argument);
  EXPECT_THROW(check_exact(f, Numbers{nan}, Numbers{1}), std::invalid_argument);
  EXPECT_THROW(check_exact(f, Numbers{1, 2}, Numbers{1, 2}, {.shape = {3}}), std::invalid_argument);
}

}  // namespace
}  // namespace assay::validation
