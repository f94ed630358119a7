// The algebra of kernels in C++, which are followed where they compute with numbers that are.
#include "validation/formula/algebra.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "validation/formula/operation.h"
#include "validation/formula/within_bounds.h"

namespace assay::validation::formula {
namespace {

using reference::Followed;
using Row = std::vector<Followed>;
using Traits = reference::NumberTraits<Followed>;

/// max x + log(sum exp(x - max x)) of each row of x [N, D]
struct LogSumExp {
  template <class Number>
  Arrays<Number> operator()(const Extents& extents, const Arrays<Number>& inputs) const {
    using Of = reference::NumberTraits<Number>;
    const auto D = static_cast<std::size_t>(extents.at("D"));
    std::vector<Number> y;
    for (std::size_t first = 0; first < inputs[0].size(); first += D) {
      const std::span row = std::span(inputs[0]).subspan(first, D);
      const Number m = reference::formula::largest<Number>(row);
      std::vector<Number> e;
      for (const Number& x : row) e.push_back(Of::exp(x - m));
      y.push_back(m + Of::log(reference::formula::sum<Number>(e)));
    }
    return {y};
  }
};

Subject log_sum_exp(const std::function<Followed(const Row&)>& kernel) {
  Subject subject = subject_of({"log_sum_exp", {{"x", {"N", "D"}}}, {"N", "D"}}, {{"N"}}, LogSumExp());
  subject.specification.empty = false;
  subject.followed = [kernel](const Case& c) {
    Subject::FollowedResults found{{{}}, ""};
    const auto D = static_cast<std::size_t>(c.extents.at("D"));
    for (std::size_t first = 0; first < c.arrays[0].size(); first += D) {
      Row row;
      for (std::size_t d = 0; d < D; ++d) row.emplace_back(c.arrays[0][first + d]);
      found.results[0].push_back(kernel(row));
    }
    return found;
  };
  subject.forward = [subject](const Case& c) {
    Doubles values(1);
    const Subject::FollowedResults found = subject.followed(c);
    for (const Followed& one : found.results[0]) values[0].push_back(one.value);
    return values;
  };
  return subject;
}

Followed plain(const Row& row, std::size_t left_out = 1000) {
  Followed sum(0);
  for (std::size_t d = 0; d < row.size(); ++d)
    if (d != left_out) sum += Traits::exp(row[d]);
  return Traits::log(sum);
}

Followed by_pairs(const Row& row) {
  Followed total = row[0];
  for (std::size_t d = 1; d < row.size(); ++d) total = reference::formula::detail::logaddexp(total, row[d]);
  return total;
}

Case case_of(std::vector<double> x, std::int64_t columns) {
  const std::int64_t rows = std::ssize(x) / columns;
  return {{{"N", rows}, {"D", columns}}, {std::move(x)}, {std::vector<double>(static_cast<std::size_t>(rows), 1)}};
}

const Case some = case_of({0.5, -20.25, 1.75, 0.125, 3, -2, 1.5, -18}, 4);

TEST(FormulaAlgebra, KernelsOfOtherMakingsAreEqual) {
  for (const auto& kernel : {std::function<Followed(const Row&)>([](const Row& row) { return plain(row); }),
                             std::function<Followed(const Row&)>(by_pairs)}) {
    const AlgebraResult found = algebra_of(log_sum_exp(kernel), some);
    EXPECT_FALSE(found.difference);
    EXPECT_EQ(found.equal, 2);
    EXPECT_EQ(found.verdict(), "algebra equal, beyond the bound: rounding");
  }
}

TEST(FormulaAlgebra, ATermBelowTheRoundingIsMissedAndNamed) {
  Random random(1);
  const Subject subject = log_sum_exp([](const Row& row) { return plain(row, 1); });
  EXPECT_EQ(outputs(subject, case_of({0.5, -20.25, 1.75, 0.125}, 4), random).verdict, Verdict::pass);
  const Case hidden = case_of({0.5, -20.25, 1.75, 0.125}, 4);
  const Finding finding = algebra(subject, hidden, random);
  EXPECT_EQ(finding.verdict, Verdict::fail);
  EXPECT_NE(finding.explanation.find("lacks the term 1 of the sum"), std::string::npos) << finding.explanation;
  EXPECT_TRUE(algebra_beside_bound(subject, hidden).starts_with("algebra differs, within the bound: a hidden fault"));
}

TEST(FormulaAlgebra, OneWrongElementAndNaNAreNotEqual) {
  Random random(1);
  const auto last = [](const Row& row) { return row[3].value == -18 ? row[0] : plain(row); };
  EXPECT_EQ(algebra_of(log_sum_exp(last), some).difference->element, 1);
  const auto nan = [](const Row&) { return Traits::nan(); };
  EXPECT_EQ(algebra(log_sum_exp(nan), some, random).verdict, Verdict::skipped);
}

TEST(FormulaAlgebra, WhatCannotBeFollowedIsNotJudged) {
  Random random(1);
  Subject subject = log_sum_exp([](const Row& row) { return plain(row); });
  subject.followed = [](const Case&) { return Subject::FollowedResults{{}, "compiled code"}; };
  const Finding finding = algebra(subject, some, random);
  EXPECT_EQ(finding.verdict, Verdict::skipped);
  EXPECT_EQ(finding.explanation, "not judged by the algebra: compiled code");
}

TEST(FormulaAlgebra, TheGateJudgesItInLargeCases) {
  Subject subject = log_sum_exp([](const Row& row) { return plain(row, 777); });
  const GateRecord faulty = run(subject, {.options = options_of(3), .filter = "^algebra$"});
  EXPECT_EQ(failures_of(faulty), 1) << table_text(faulty);
}

}  // namespace
}  // namespace assay::validation::formula
