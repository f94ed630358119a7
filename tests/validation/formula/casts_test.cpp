// Codes that right kernels may give: against numbers that are off by what a bound allows, and at ties.
#include "validation/formula/casts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "validation/core/infinity.h"
#include "validation/core/random.h"

namespace assay::validation::formula {
namespace {

using reference::Cast;
using reference::cast_called;
using reference::rounded_to;

TEST(FormulaCasts, TheErrorBoundsTheCodeOfWhatIsOff) {
  Random random(1);
  for (const auto& format : reference::small_formats)
    for (const auto rounding : {reference::Rounding::nearest_even, reference::Rounding::zero, reference::Rounding::up,
                                reference::Rounding::nearest_away})
      for (int i = 0; i < 500; ++i) {
        const Cast cast{&format, rounding};
        const double x = format.at(static_cast<int>(random.integer(0, format.highest()))) * (1 + random.gaussian() / 4);
        const double e = random.chance(0.3) ? 0 : std::abs(x) * random.real() / 8;
        const double value = rounded_to(cast, x), bound = cast_error(cast, {x, e}, value);
        EXPECT_LE(std::abs(rounded_to(cast, x + e * random.real(-1, 1)) - value), bound) << format.name << " of " << x;
        EXPECT_TRUE(e > 0 || bound == 0);
      }
}

TEST(FormulaCasts, TheErrorIsMetAtATie) {
  const Cast cast = cast_called("int8", "nearest-even", true), either = cast_called("int8", "stochastic", true);
  EXPECT_EQ(cast_error(cast, {2.5, 0}, 2), 0);
  EXPECT_EQ(cast_error(cast, {2.5, 1e-9}, 2), 1);
  EXPECT_EQ(cast_error(cast, {2.4, 1e-9}, 2), 0);
  EXPECT_EQ(cast_error(cast, {500, 100}, 127), 0);
  EXPECT_EQ(cast_error(either, {2.4, 0}, 2), 1);
  EXPECT_EQ(cast_error(either, {2, 0}, 2), 0);
}

TEST(FormulaCasts, WhatMayBeNanHasNoBound) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Cast whole = cast_called("int8", "nearest-even", true), fp8 = cast_called("e4m3fn", "nearest-even", false);
  EXPECT_EQ(cast_error(whole, {nan, 0}, nan), infinity);
  EXPECT_EQ(cast_error(fp8, {nan, 0}, nan), 0);
  EXPECT_EQ(cast_error(fp8, {463, 2}, 448), infinity);
  EXPECT_EQ(cast_error(fp8, {500, 2}, nan), 0) << "it is surely too large";
  EXPECT_EQ(cast_error(whole, {3, infinity}, 3), infinity);
}

TEST(FormulaCasts, WhatMayBeRoundedIsItselfOrRounded) {
  Random random(2);
  for (const auto& format : reference::small_formats)
    for (int i = 0; i < 500; ++i) {
      Cast cast{&format};
      cast.is_optional = true;
      const double x = format.at(static_cast<int>(random.integer(0, format.highest()))) * (1 + random.gaussian() / 4);
      const double e = random.chance(0.3) ? 0 : std::abs(x) * random.real() / 8;
      const double bound = cast_error(cast, {x, e}, x), near = x + e * random.real(-1, 1);
      EXPECT_LE(std::abs(near - x), bound) << format.name;
      EXPECT_LE(std::abs(rounded_to(cast, near) - x), bound) << format.name;
      EXPECT_TRUE(e > 0 || bound == std::abs(rounded_to(cast, x) - x)) << format.name << " of " << x;
    }
  Cast beyond = cast_called("e5m2", "nearest-even", false, "rounded");
  beyond.is_optional = true;
  EXPECT_EQ(cast_error(beyond, {1e6, 0}, 1e6), infinity);
}

/// A graph of one input and what `add` makes of it, whose elements are off by `error`.
struct Made {
  Graph graph;
  Doubles values, errors;
  std::int32_t last = 0;

  Made(double x, double error) {
    graph.add({Op::input, 1});
    values = {{x}};
    errors = {{error}};
  }

  Made& cast(const std::string& format) {
    Node node{Op::cast, 1, {last}};
    node.cast = cast_called(format, "nearest-even", true);
    const double value = rounded_to(node.cast, values.back()[0]);
    return take(node, value, cast_error(node.cast, {values.back()[0], errors.back()[0]}, value));
  }
  Made& round() {
    const double x = values.back()[0], e = errors.back()[0], y = std::nearbyint(x);
    return take({Op::round, 1, {last}}, y, std::max(std::nearbyint(x + e) - y, y - std::nearbyint(x - e)));
  }
  Made& plus(double zero_point) {
    const auto sum = last;
    Node node{Op::constant, 1};
    node.values = {zero_point};
    take(node, zero_point, 0);
    const auto s = static_cast<std::size_t>(sum);
    return take({Op::add, 1, {sum, last}}, values[s][0] + zero_point, errors[s][0]);
  }
  Interval may_be() const { return possible(graph, values, errors, last, 0); }

 private:
  Made& take(const Node& node, double value, double error) {
    last = graph.add(node);
    values.push_back({value});
    errors.push_back({error});
    return *this;
  }
};

std::pair<double, double> ends(const Interval& one) {
  return {one.lower, one.upper};
}

TEST(FormulaCasts, NearATieBothNeighboursArePossibleAndNoThird) {
  EXPECT_EQ(ends(Made(2.499, 0.01).cast("int8").may_be()), std::pair(2.0, 3.0));
  EXPECT_EQ(ends(Made(2.501, 0.01).cast("int8").may_be()), std::pair(2.0, 3.0));
  EXPECT_EQ(ends(Made(2.51, 0.005).cast("int8").may_be()), std::pair(3.0, 3.0));
  EXPECT_EQ(ends(Made(2.5, 0).cast("int8").may_be()), std::pair(2.0, 2.0));
  EXPECT_EQ(ends(Made(16.99, 0.05).cast("e4m3fn").may_be()), std::pair(16.0, 18.0));
}

TEST(FormulaCasts, AZeroPointKeepsTheNeighbours) {
  EXPECT_EQ(ends(Made(2.499, 0.01).round().plus(5).cast("uint8").may_be()), std::pair(7.0, 8.0));
  EXPECT_EQ(ends(Made(2.499, 0.01).round().plus(-3).cast("uint8").may_be()), std::pair(0.0, 0.0));
}

}  // namespace
}  // namespace assay::validation::formula
