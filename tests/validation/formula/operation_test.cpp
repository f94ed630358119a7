// An operation of one's own in C++, as a user writes it: the formula once, then kernels against it.
#include "validation/formula/operation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/refusal.h"
#include "validation/core/number.h"
#include "validation/formula/needles.h"
#include "validation/formula/planned.h"
#include "validation/formula/within_bounds.h"

namespace assay::validation::formula {
namespace {

/// x / sqrt(mean(x^2) + 2^-17), for each row of x [N, D]
struct RmsNorm {
  template <class Number>
  Arrays<Number> operator()(const Extents& extents, const Arrays<Number>& inputs) const {
    const auto D = static_cast<std::size_t>(extents.at("D"));
    const std::vector<Number>& x = inputs[0];
    std::vector<Number> y;
    for (std::size_t row = 0; row < x.size(); row += D) {
      std::vector<Number> squares;
      for (std::size_t d = row; d < row + D; ++d) squares.push_back(x[d] * x[d]);
      const Number mean = reference::formula::sum<Number>(squares) / Number(static_cast<double>(D));
      const Number root = reference::NumberTraits<Number>::sqrt(mean + Number(0x1p-17));
      for (std::size_t d = row; d < row + D; ++d) y.push_back(x[d] / root);
    }
    return {y};
  }
};

/// A kernel, which computes in float and may leave out elements at the end of a row.
Kernel kernel(std::size_t left_out) {
  return [left_out](const Case& c) {
    const auto D = static_cast<std::size_t>(c.extents.at("D"));
    const std::vector<double>& x = c.arrays[0];
    Doubles y(1);
    for (std::size_t row = 0; row < x.size(); row += D) {
      float sum = 0;
      for (std::size_t d = row; d < row + D - (D > 1 ? left_out : 0); ++d) sum += float(x[d]) * float(x[d]);
      const float factor = 1 / std::sqrt(sum / float(D) + 0x1p-17F);
      for (std::size_t d = row; d < row + D; ++d) y[0].push_back(double{float(x[d]) * factor});
    }
    return y;
  };
}

Kernel backward(bool projects) {
  return [projects](const Case& c) {
    const auto D = static_cast<std::size_t>(c.extents.at("D"));
    const std::vector<double>&x = c.arrays[0], &g = c.upstream[0];
    Doubles dx(1);
    for (std::size_t row = 0; row < x.size(); row += D) {
      double squares = 0, dot = 0;
      for (std::size_t d = row; d < row + D; ++d) squares += x[d] * x[d], dot += x[d] * g[d];
      const double r = 1 / std::sqrt(squares / double(D) + 0x1p-17);
      for (std::size_t d = row; d < row + D; ++d)
        dx[0].push_back(double{float(r * (g[d] - (projects ? x[d] * r * r * dot / double(D) : 0)))});
    }
    return dx;
  };
}

Subject rms_norm() {
  Specification specification{"rms_norm", {{"x", {"N", "D"}}}, {"N", "D"}, {{"N", 5}, {"D", 33}}, {{"rows", "N"}}};
  return subject_of(specification, {{"N", "D"}}, RmsNorm());
}

/// The run of the properties that the filter matches.
GateRecord judged(const Subject& subject, const std::string& filter = "") {
  return run(subject, {.options = options_of(40), .filter = filter});
}

bool passes(const Subject& subject) {
  return failures_of(judged(subject)) == 0;
}

TEST(FormulaOperation, RightKernelsPassAndFaultyOnesFail) {
  Subject subject = rms_norm();
  subject.forward = kernel(0);
  EXPECT_TRUE(passes(subject)) << table_text(judged(subject));
  subject.forward = kernel(1);
  EXPECT_FALSE(passes(subject));
}

TEST(FormulaOperation, TheGradientIsTheTracedOne) {
  Subject subject = rms_norm();
  subject.backward = backward(true);
  EXPECT_TRUE(passes(subject)) << table_text(judged(subject));
  subject.backward = backward(false);
  EXPECT_FALSE(passes(subject));
}

/// The same by a reciprocal and by squares that are divided first; without the constant it leads elsewhere.
struct OtherRoad {
  double constant = 0x1p-17;

  template <class Number>
  Arrays<Number> operator()(const Extents& extents, const Arrays<Number>& inputs) const {
    const auto D = static_cast<std::size_t>(extents.at("D"));
    const std::vector<Number>& x = inputs[0];
    std::vector<Number> y;
    for (std::size_t row = 0; row < x.size(); row += D) {
      std::vector<Number> squares;
      for (std::size_t d = row; d < row + D; ++d) squares.push_back(x[d] * (x[d] / Number(static_cast<double>(D))));
      const Number sum = reference::formula::sum<Number>(squares) + Number(constant);
      const Number factor = Number(1) / reference::NumberTraits<Number>::sqrt(sum);
      for (std::size_t d = row; d < row + D; ++d) y.push_back(x[d] * factor);
    }
    return {y};
  }
};

TEST(FormulaOperation, ARoadToTheSameResultsIsTakenAndOneToOthersIsAnError) {
  Subject subject = rms_norm();
  subject.forward = kernel(0);
  subject.road = subject_of(subject.specification, {{"N", "D"}}, OtherRoad()).trace;
  EXPECT_TRUE(passes(subject)) << table_text(judged(subject));
  subject.road = subject_of(subject.specification, {{"N", "D"}}, OtherRoad{0}).trace;
  const std::string said = table_text(judged(subject, "outputs"));
  EXPECT_NE(said.find("expected a road to the same results"), std::string::npos) << said;
}

/// A kernel whose rows, but for the first, are those that an offset of 32 bits leads to.
Kernel with_wrapped_rows(const Kernel& right) {
  return [right](const Case& c) {
    Doubles y = right(c);
    const auto D = static_cast<std::ptrdiff_t>(c.extents.at("D"));
    if (std::ssize(y[0]) >= 2 * D) std::copy_n(y[0].begin(), D, y[0].begin() + D);
    return y;
  };
}

TEST(FormulaOperation, FarRowsAreHeldToTheBoundsInAFullRun) {
  Subject subject = subject_of({"rms_norm", {{"x", {"N", "D"}}}, {"N", "D"}, {{"D", 300}}}, {{"N", "D"}}, RmsNorm());
  const auto verdict = [&](Reach reach) {
    const GateRecord record = run(subject, {.options = options_of(20, 1, reach), .filter = "^far-rows$"});
    return record.properties.at(0).verdict;
  };
  subject.forward = kernel(0);
  subject.far = FarKernels{"N", kernel(0), {}};
  EXPECT_EQ(verdict(Reach::full), Verdict::pass);
  EXPECT_EQ(verdict(Reach::quick), Verdict::skipped);
  subject.far->forward = with_wrapped_rows(kernel(0));
  EXPECT_EQ(verdict(Reach::full), Verdict::fail);
  subject.forward = {};
  subject.backward = backward(true);
  subject.far = FarKernels{"N", {}, backward(true)};
  EXPECT_EQ(verdict(Reach::full), Verdict::pass);
  subject.far->backward = with_wrapped_rows(backward(true));
  EXPECT_EQ(verdict(Reach::full), Verdict::fail);
}

/// The softmax of each row of x [N, D]
struct Softmax {
  template <class Number>
  Arrays<Number> operator()(const Extents& extents, const Arrays<Number>& inputs) const {
    const auto D = static_cast<std::size_t>(extents.at("D"));
    std::vector<Number> y;
    for (std::size_t row = 0; row < inputs[0].size(); row += D) {
      const std::span<const Number> x(inputs[0].data() + row, D);
      const Number largest = reference::formula::largest<Number>(x);
      std::vector<Number> e;
      for (const Number& one : x) e.push_back(reference::NumberTraits<Number>::exp(one - largest));
      const Number sum = reference::formula::sum<Number>(e);
      for (const Number& one : e) y.push_back(one / sum);
    }
    return {y};
  }
};

/// A softmax of float numbers that gives `of_nothing` for a row of -inf, where the formula gives NaN.
Kernel softmax_kernel(double of_nothing) {
  return [of_nothing](const Case& c) {
    const auto D = static_cast<std::size_t>(c.extents.at("D"));
    const std::vector<double>& x = c.arrays[0];
    Doubles y(1);
    for (std::size_t row = 0; row < x.size(); row += D) {
      const double largest = *std::max_element(&x[row], &x[row] + D);
      double sum = 0;
      for (std::size_t d = row; d < row + D; ++d) sum += std::exp(x[d] - largest);
      for (std::size_t d = row; d < row + D; ++d)
        y[0].push_back(std::isinf(largest) ? of_nothing : double{float(std::exp(x[d] - largest) / sum)});
    }
    return y;
  };
}

Subject softmax(double of_nothing) {
  Specification specification{"softmax", {{"x", {"N", "D"}}}, {"N", "D"}, {{"N", 5}, {"D", 33}}, {{"rows", "N"}}};
  specification.inputs[0].minus_infinity = true;
  Subject subject = subject_of(specification, {{"N", "D"}}, Softmax());
  subject.forward = softmax_kernel(of_nothing);
  return subject;
}

TEST(FormulaOperation, NanIsJudgedWhereTheFormulaGivesIt) {
  const Case nothing{{{"N", 1}, {"D", 2}}, {{-HUGE_VAL, -HUGE_VAL}}, {{1, 1}}};
  Random random(1);
  const auto held = [&](double of_nothing) { return outputs(softmax(of_nothing), nothing, random); };
  EXPECT_EQ(held(std::nan("")).verdict, Verdict::pass);
  EXPECT_EQ(held(std::nan("")).judged.judged, 2);
  for (const double wrong : {0.0, 1.0, 0.5, HUGE_VAL, -HUGE_VAL})
    EXPECT_EQ(held(wrong).verdict, Verdict::fail) << wrong;
  EXPECT_TRUE(passes(softmax(std::nan("")))) << table_text(judged(softmax(std::nan(""))));
  EXPECT_FALSE(passes(softmax(0))) << "whole rows of -inf are among the cases";
}

TEST(FormulaOperation, IsMistrustedWhereItsBoundsJudgeNothing) {
  Subject loose = softmax(std::nan(""));
  loose.arithmetic.exp_error = 1e9;
  const GateRecord result = judged(loose, "outputs");
  ASSERT_EQ(result.properties.size(), 1U);
  EXPECT_EQ(result.properties[0].verdict, Verdict::mistrusted) << table_text(result);
  EXPECT_NE(table_text(result).find("too little was judged in"), std::string::npos);
}

TEST(FormulaOperation, TheTemplateIsTheTruthItself) {
  const reference::PrecisionScope scope(60);
  const Case c{{{"N", 1}, {"D", 3}}, {{1, -2, 0.5}}, {{1, 1, 1}}};
  Arrays<BigFloat> inputs(1);
  for (const double x : c.arrays[0]) inputs[0].emplace_back(x);
  const auto direct = RmsNorm()(c.extents, inputs)[0];
  const auto truth = truth_of(rms_norm(), c);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(absolute_difference(direct[i], truth->outputs[0][i]), 1e-55);
}

/// |x| by a branch, which no graph can record, and by the function that can.
struct Absolute {
  bool branches = true;

  template <class Number>
  Arrays<Number> operator()(const Extents&, const Arrays<Number>& inputs) const {
    const Number x = inputs[0][0];
    if (!branches) return {{reference::formula::larger<Number>(x, -x)}};
    return {{x < Number(0) ? -x : x}};
  }
};

TEST(FormulaOperation, ABranchOnDataSaysWhatToWrite) {
  const Specification specification{"absolute", {{"x", {"1"}}}, {}};
  EXPECT_NO_THROW(subject_of(specification, {{"1"}}, Absolute{false}).trace({}));
  EXPECT_THROW(subject_of(specification, {{"1"}}, Absolute{}).trace({}), std::domain_error);
  EXPECT_THROW(subject_of(specification, {{"2"}}, Absolute{false}).trace({}), std::invalid_argument);
}

/// x [N, 4096], whose fixed extent alone is more than a case has elements elsewhere.
TEST(FormulaOperation, DrawsRowsOfALargeFixedExtent) {
  const auto same = [](const Extents&, const auto& inputs) { return inputs; };
  const Subject subject = subject_of({"same", {{"x", {"N", "4096"}}}, {"N"}}, {{"N", "4096"}}, same);
  std::int64_t most = 0;
  Random random(1);
  for (int i = 0; i < 20; ++i)
    most = std::max(
        most,
        draw(random, 100, subject.specification, subject.trace, Dtype::float32, {ValueClass::Kind::ties}).extents["N"]);
  EXPECT_EQ(most, 4) << "rows can differ, and are few";
}

TEST(FormulaOperation, NoCaseIsBelowTheLeastOfAnExtent) {
  Subject subject = rms_norm();
  Specification& specification = subject.specification;
  specification.least = {{"D", 5}};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const Case c = draw(random, static_cast<int>(seed % 101), specification, subject.trace, Dtype::float32, {});
    ASSERT_GE(c.extents.at("D"), 5) << "seed " << seed;
    if (seed > 20) continue;
    for (const auto& smaller : shrinks_of(specification, c, subject.trace))
      ASSERT_GE(smaller().extents.at("D"), 5) << "seed " << seed;
  }
  for (const Planned& plan : planned_of(specification, subject.trace, false, Reach::quick, Dtype::float32, 1)) {
    Random random(1);
    EXPECT_GE(drawn(plan, specification, subject.trace, Dtype::float32, random).extents.at("D"), 5);
  }
  Work work(specification, subject.trace);
  for (const std::int64_t size : needle_sizes_of(specification, work, "D", Reach::full, true).sizes) EXPECT_GE(size, 5);
}

TEST(FormulaOperation, ReadsOnlyLinesOfItsOwnCases) {
  const Subject subject = rms_norm();
  const auto refusal = [&](const std::string& line) {
    return refusal_of([&] { from_words(subject.specification, parse_words(line), subject.trace); });
  };
  EXPECT_EQ(refusal("N=1 D=2 layout=0 x=1,-2e-3 upstream0=inf,nan"), "accepted");
  for (const auto& [line, says] : std::vector<std::pair<std::string, std::string>>{
           {"D=2 layout=0 x=1,2 upstream0=1,1", "'N=' is missing from the case"},
           {"N=one D=2 layout=0 x=1,2 upstream0=1,1", "N=one: expected a number"},
           {"N=-1 D=-2 layout=0 x=1,2 upstream0=1,1", "N=-1: expected a whole number from 0 to 10000000"},
           {"N=4294967296 D=2 layout=0 x=1 upstream0=1", "N=4294967296: expected a whole number from 0 to 10000000"},
           {"N=9000000 D=9000000 layout=0 x=1 upstream0=1",
            "x has 1 numbers: expected 81000000000000, of the shape [9000000, 9000000]"},
           {"N=1 D=2 layout=13 x=1,2 upstream0=1,1", "layout=13: expected a whole number from 0 to 12"},
           {"N=1 D=2 layout=0 x=1,2,3 upstream0=1,1", "x has 3 numbers: expected 2, of the shape [1, 2]"},
           {"N=1 D=2 layout=0 x=1,z upstream0=1,1", "x=z: expected a number"},
           {"N=1 D=2 layout=0 x=1,2 upstream0=1", "upstream0 has 1 numbers: expected 2, of the shape [1, 2]"}})
    EXPECT_EQ(refusal(line), says);
}

TEST(FormulaOperation, AnUpstreamOfOnesIsNotWritten) {
  const Subject subject = rms_norm();
  for (const std::string line : {"D=2 N=1 layout=0 x=1,2", "D=2 N=1 layout=0 x=1,2 upstream0=1,3"}) {
    const Case c = from_words(subject.specification, parse_words(line), subject.trace);
    EXPECT_EQ(to_text(subject.specification, c), line);
    EXPECT_EQ(c.upstream[0].size(), 2);
  }
}

TEST(FormulaOperation, ShrinkingDropsLeadingRows) {
  const Subject subject = rms_norm();
  const Case c =
      from_words(subject.specification, parse_words("N=3 D=1 layout=0 x=1,2,3 upstream0=4,5,6"), subject.trace);
  std::vector<std::string> smaller;
  for (const auto& step : shrinks_of(subject.specification, c, subject.trace))
    smaller.push_back(to_text(subject.specification, step()));
  for (const auto* const rows : {"D=1 N=1 layout=0 x=3 upstream0=6", "D=1 N=2 layout=0 x=2,3 upstream0=5,6"})
    EXPECT_GE(std::ranges::count(smaller, rows), 1) << rows;
}

}  // namespace
}  // namespace assay::validation::formula
