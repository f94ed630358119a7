// A truth is remembered for equal questions alone: whatever it depends on makes it another one.
#include "validation/formula/known_truths.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include "validation/formula/operation.h"

namespace assay::validation::formula {
namespace {

/// x + offset.
struct Shifted {
  double offset;

  template <class Number>
  Arrays<Number> operator()(const Extents&, const Arrays<Number>& inputs) const {
    Arrays<Number> result(1);
    for (const Number& x : inputs[0]) result[0].push_back(x + Number(offset));
    return result;
  }
};

Subject shifted(double offset) {
  return subject_of({"shifted", {{"x", {"N"}}}, {"N"}}, {{"N"}}, Shifted{offset});
}

const Case two{{{"N", 2}}, {{1, 0}}, {{1, 0}}};

/// Whether the truth of a second question is computed although that of the first is known.
bool is_computed(const Subject& subject, const Case& c, const Subject& other, const Case& other_case) {
  KnownTruths known(1 << 20);
  bool computed = false;
  known.of(TruthKey(subject, c), [] { return Truth(); });
  known.of(TruthKey(other, other_case), [&] { return computed = true, Truth(); });
  return computed;
}

TEST(FormulaKnownTruths, TheSameQuestionIsAnsweredOnce) {
  const Subject subject = shifted(1);
  Subject other = subject;
  other.forward = [](const Case& c) { return c.arrays; };
  other.kernel_name = "another";
  EXPECT_FALSE(is_computed(subject, two, other, two));
}

TEST(FormulaKnownTruths, AnotherCaseIsAnotherQuestion) {
  const Subject subject = shifted(1);
  for (const double x :
       {2.0, -0.0, std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    Case array = two, upstream = two;
    array.arrays[0][1] = upstream.upstream[0][1] = x;
    EXPECT_TRUE(is_computed(subject, two, subject, array)) << x;
    EXPECT_TRUE(is_computed(subject, two, subject, upstream)) << x;
    EXPECT_FALSE(is_computed(subject, array, subject, array)) << x;
  }
  EXPECT_TRUE(is_computed(subject, two, subject, {{{"N", 1}}, {{1}}, {{1}}}));
}

TEST(FormulaKnownTruths, AnotherSubjectIsAnotherQuestion) {
  const Subject subject = shifted(1);
  const auto changed = [&](const auto& change) {
    Subject other = subject;
    change(other);
    return is_computed(subject, two, other, two);
  };
  EXPECT_TRUE(changed([](Subject& other) { other.trace = shifted(2).trace; }));
  EXPECT_TRUE(changed([](Subject& other) { other.road = shifted(1).trace; }));
  EXPECT_TRUE(changed([](Subject& other) { other.backward = [](const Case& c) { return c.arrays; }; }));
  EXPECT_TRUE(changed([](Subject& other) { other.digits += 1; }));
  EXPECT_TRUE(changed([](Subject& other) { other.arithmetic.storage = Dtype::float16; }));
  EXPECT_TRUE(changed([](Subject& other) { other.arithmetic.rounds["d"] = 1; }));
  EXPECT_TRUE(changed([](Subject& other) { other.arithmetic.flushes_subnormals = true; }));
  EXPECT_TRUE(changed([](Subject& other) { other.specification.inputs[0].name = "y"; }));
}

TEST(FormulaKnownTruths, TheMemoryHasALimitAndTheOldestGoFirst) {
  const Subject subject = shifted(1);
  const auto make = [] {
    Truth truth;
    truth.values = {std::vector<double>(1000)};
    return truth;
  };
  for (const bool has_one_hash : {false, true}) {
    KnownTruths known(3 * 9000);
    const auto is_known = [&](int question) {
      bool known_already = true;
      const Case c{{{"N", 1}}, {{has_one_hash ? 1.0 : question}}, {{1}}};
      Subject asking = subject;
      if (has_one_hash) asking.digits += question;
      known.of(TruthKey(asking, c), [&] { return known_already = false, make(); });
      return known_already;
    };
    for (const int question : {1, 2, 3}) EXPECT_FALSE(is_known(question));
    EXPECT_TRUE(is_known(1));
    EXPECT_FALSE(is_known(4));  // in the place of 2, which was used first
    for (const int question : {1, 3, 4}) EXPECT_TRUE(is_known(question)) << question;
    EXPECT_FALSE(is_known(2));
  }
  KnownTruths small(100);
  EXPECT_EQ(small.of(TruthKey(subject, two), make)->values[0].size(), 1000);
}

TEST(FormulaKnownTruths, AnExceptionIsNotRemembered) {
  const Subject subject = shifted(1);
  KnownTruths known(1 << 20);
  const auto fails = []() -> Truth { throw std::runtime_error("once"); };
  EXPECT_THROW(known.of(TruthKey(subject, two), fails), std::runtime_error);
  EXPECT_NO_THROW(known.of(TruthKey(subject, two), [] { return Truth(); }));
}

/// Arrays that differ in one element have truths that differ in it.
TEST(FormulaKnownTruths, TruthOfTellsCasesApart) {
  const Subject subject = shifted(1);
  Case other = two;
  other.arrays[0][1] = 5;
  EXPECT_EQ(static_cast<double>(truth_of(subject, two)->outputs[0][1]), 1);
  EXPECT_EQ(static_cast<double>(truth_of(subject, other)->outputs[0][1]), 6);
  EXPECT_EQ(truth_of(subject, two), truth_of(subject, two));
}

}  // namespace
}  // namespace assay::validation::formula
