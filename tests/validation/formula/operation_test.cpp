// An operation of one's own in C++, as a user writes it: the formula once, then kernels against it.
#include "validation/formula/operation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "validation/core/number.h"

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

bool passes(const Subject& subject) {
  const Judged judged = run(subject, {40, 1, ""});
  for (const auto& property : judged.record.properties)
    if (property.failure) return false;
  return true;
}

TEST(FormulaOperation, RightKernelsPassAndFaultyOnesFail) {
  Subject subject = rms_norm();
  subject.forward = kernel(0);
  EXPECT_TRUE(passes(subject)) << to_text(run(subject, {40, 1, ""}));
  subject.forward = kernel(1);
  EXPECT_FALSE(passes(subject));
}

TEST(FormulaOperation, TheGradientIsTheTracedOne) {
  Subject subject = rms_norm();
  subject.backward = backward(true);
  EXPECT_TRUE(passes(subject)) << to_text(run(subject, {40, 1, ""}));
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
  EXPECT_TRUE(passes(subject)) << to_text(run(subject, {40, 1, ""}));
  subject.road = subject_of(subject.specification, {{"N", "D"}}, OtherRoad{0}).trace;
  const std::string said = to_text(run(subject, {40, 1, "outputs"}));
  EXPECT_NE(said.find("expected a road to the same results"), std::string::npos) << said;
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

}  // namespace
}  // namespace assay::validation::formula
