// The table of functions: no member of an interval is farther off than its rows say, and the rows are narrow.
#include "validation/formula/functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "validation/core/random.h"

namespace assay::validation::formula {
namespace {

double value_of(Op op, double x) {
  return reference::formula::detail::unary<double>(op, x);
}

Op op_at(std::size_t k) {
  return static_cast<Op>(static_cast<std::size_t>(Op::negative) + k);
}

constexpr std::size_t count = static_cast<std::size_t>(Op::tanh) - static_cast<std::size_t>(Op::negative) + 1;

/// The largest |f(x + d) - f(x) - d slope| for |d| <= e.
double farthest(Op op, double x, double e, double slope) {
  double most = 0;
  for (int k = -8; k <= 8; ++k) {
    const double d = e * k / 8;
    most = std::max(most, std::abs(value_of(op, x + d) - value_of(op, x) - d * slope));
  }
  return most;
}

double drawn(Random& random, Op op) {
  const double x = random.chance(0.3) ? static_cast<double>(random.integer(-4, 4)) / 2 : 3 * random.gaussian();
  return op == Op::log || op == Op::sqrt || op == Op::log1p ? std::abs(x) + 0.25 : x;
}

TEST(FormulaFunctions, HoldWhatLiesWithinTheErrorOfTheArgument) {
  Random random(7);
  for (std::size_t k = 0; k < count; ++k) {
    const Op op = op_at(k);
    const Function& function = function_of(op);
    ASSERT_EQ(function.op, op);
    for (int n = 0; n < 2000 && op != Op::exp; ++n) {
      const double x = drawn(random, op), e = std::ldexp(1.0, -static_cast<int>(random.integer(3, 20)));
      const double y = value_of(op, x), slope = function.slope(x, y), carried = function.carried({x, e}, y);
      const double work = 0x1p-48 * (1 + std::abs(x) + std::abs(y));  // of this test, which computes in double
      EXPECT_LE(farthest(op, x, e, 0), carried + work)
          << reference::formula::op_names.at(static_cast<std::size_t>(op)) << " of " << x;
      const bool is_smooth = op != Op::abs && op != Op::sign;  // the others' kinks are known to slopes.cpp
      const double second = function.curvature == nullptr ? 0 : function.curvature({x, e}, y);
      if (is_smooth) {
        EXPECT_LE(farthest(op, x, e, slope), std::max(0.0, carried - std::abs(slope) * e) + second + work)
            << reference::formula::op_names.at(static_cast<std::size_t>(op)) << " of " << x << " +- " << e;
      }
      EXPECT_EQ(function.carried({x, 0}, y), 0);
    }
  }
}

TEST(FormulaFunctions, AreNarrowWhereTheErrorIsSmall) {
  constexpr double e = 0x1p-24;
  for (const Op op : {Op::sin, Op::cos, Op::erf, Op::sigmoid, Op::tanh, Op::floor, Op::round})
    for (const double x : {0.3, 0.7, 1.3, -2.2}) {
      const double y = value_of(op, x);
      EXPECT_LE(function_of(op).carried({x, e}, y), 1.01 * farthest(op, x, e, 0) + 1e-13);
    }
}

TEST(FormulaFunctions, AStepIsInDoubtWhereAnErrorMayCrossItAlone) {
  const Function& floor = function_of(Op::floor);
  EXPECT_EQ(floor.carried({3, 0}, 3), 0);
  EXPECT_EQ(floor.carried({3, 1e-9}, 3), 1);
  EXPECT_EQ(floor.carried({3.5, 0.25}, 3), 0);
  EXPECT_EQ(floor.carried({3.5, 1.75}, 3), 2);
  const Function& round = function_of(Op::round);
  EXPECT_EQ(round.carried({2.5, 0}, 2), 0);
  EXPECT_EQ(round.carried({2.5, 1e-9}, 2), 1);
  for (const Op op : {Op::floor, Op::round, Op::sin, Op::cos, Op::erf})
    EXPECT_EQ(function_of(op).carried({0.5, infinity}, value_of(op, 0.5)), infinity);
}

/// How far x^p may be off where both are.
TEST(FormulaFunctions, APowerHoldsWhatLiesWithinTheErrors) {
  const ElementErrors errors{Arithmetic{}};
  Random random(11);
  for (int n = 0; n < 4000; ++n) {
    const bool is_whole = random.chance(0.5);
    const Operand p{is_whole ? static_cast<double>(random.integer(1, 6)) : 4 * random.real(), is_whole ? 0 : 1e-4};
    const Operand x{is_whole ? random.gaussian() : std::abs(random.gaussian()), random.chance(0.3) ? 0.5 : 1e-3};
    const double y = std::pow(x.value, p.value), bound = errors.binary(Op::power, x, p, y);
    for (const double a : {x.value - x.error, x.value, x.value + x.error})
      for (const double b : {p.value - p.error, p.value + p.error})
        if (const double other = std::pow(a, b); std::isnan(other)) {
          EXPECT_EQ(bound, infinity);
        } else {
          EXPECT_LE(std::abs(other - y), bound * (1 + 1e-12)) << x.value << "^" << p.value;
        }
  }
}

TEST(FormulaFunctions, APowerIsExactAtItsEnds) {
  const ElementErrors errors{Arithmetic{}};
  const auto bound = [&](Operand x, Operand p) { return errors.binary(Op::power, x, p, std::pow(x.value, p.value)); };
  EXPECT_EQ(bound({0, 0}, {1.5, 1e-7}), 0);
  EXPECT_EQ(bound({0, 0}, {-2, 0}), 0) << "infinite";
  EXPECT_EQ(bound({0, 0}, {1e-8, 1e-7}), infinity) << "0, 1 or infinity";
  EXPECT_EQ(bound({-2, 0}, {2.5, 1e-7}), infinity) << "NaN or not";
  EXPECT_EQ(bound({1e-9, 1e-8}, {0.5, 0}), infinity);
  EXPECT_LT(bound({4, 0}, {1.5, 0}), 8 * 30 * 0x1p-24);
  EXPECT_EQ(bound({INFINITY, 0}, {-1, 0}), 0);
}

}  // namespace
}  // namespace assay::validation::formula
