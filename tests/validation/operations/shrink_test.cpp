// Shrinking: each step leads to a valid problem that is another one, there is no way round in a circle, and a fault's
// case becomes one that fits on a line.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/validation/operations/operations.h"
#include "tests/validation/operations/shrinking.h"
#include "tests/validation/typed_search.h"

namespace assay::validation {
namespace {

template <class Case>
std::vector<std::int64_t> extents_of(const Case& c) {
  std::vector<std::int64_t> extents;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>) extents.push_back(c.*row.in_case);
  });
  return extents;
}

void expect_none_larger(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& max) {
  ASSERT_EQ(extents.size(), max.size());
  for (std::size_t i = 0; i < extents.size(); ++i) EXPECT_LE(extents[i], max[i]) << "extent " << i;
}

template <class Case>
void expect_elements_of_its_type(Case c) {
  const Case before = c;
  round_to_dtype(c);
  EXPECT_EQ(c, before);
}

template <class O>
class ShrinkingOf : public testing::Test {};
TYPED_TEST_SUITE(ShrinkingOf, Operations, OperationName);

TYPED_TEST(ShrinkingOf, StepsToValidAndDifferentProblems) {
  int taken = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto c = generated<TypeParam>(seed);
    for (const auto& step : TypeParam::shrinks_of(c)) {
      const auto smaller = step();
      if (!smaller) continue;
      ++taken;
      EXPECT_FALSE(*smaller == c);
      EXPECT_NO_THROW(require_valid(*smaller));
      expect_none_larger(extents_of(*smaller), extents_of(c));
      expect_elements_of_its_type(*smaller);
      ASSERT_FALSE(this->HasFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(taken, 2000);
}

TYPED_TEST(ShrinkingOf, EndsInTheSmallestProblemWhereAnythingWillDo) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto c = generated<TypeParam>(seed);
    EXPECT_LT(steps_to_the_end<TypeParam>(c, [](const auto&) { return true; }), 100) << "seed " << seed;
    EXPECT_TRUE(Samples<TypeParam>::is_smallest(c)) << TypeParam::to_text(c);
  }
}

/// A problem of 70,000 rows, tokens or matrices, with 12345 in one of them.
template <class O>
typename O::Case tall();

template <>
CtcCase tall<CtcOperation>() {
  CtcCase c;
  c.T = 2;
  c.B = 70'000;
  c.C = 3;
  c.layout = CtcTargets::concatenated;
  c.input_lengths.assign(70'000, 2);
  set_targets(c, std::vector<std::vector<std::int64_t>>(70'000, {1}));
  c.activations.assign(420'000, 1);
  c.activation(1, 51'003, 2) = 12345;
  return c;
}

template <>
CceCase tall<CceOperation>() {
  CceCase c;
  c.N = 70'000;
  c.V = 3;
  c.hidden.assign(70'000, 1);
  c.weight.assign(3, 1);
  c.targets.assign(70'000, 1);
  c.hidden[51'003] = 12345;
  return c;
}

template <>
SvdCase tall<SvdOperation>() {
  SvdCase c{70'000, 1, 2, Dtype::float32, std::vector<double>(140'000, 1)};
  c.A[51'003] = 12345;
  return c;
}

template <class Case>
bool has_12345(const Case& c) {
  bool has = false;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && is_of_dtype<Row>) has = has || std::ranges::count(c.*row.in_case, 12345) > 0;
  });
  return has;
}

/// Halves come before single elements: neither steps nor verdicts are as many as the rows.
TYPED_TEST(ShrinkingOf, FindsOneRowOfMany) {
  auto c = tall<TypeParam>();
  EXPECT_LT(TypeParam::shrinks_of(c).size(), 50'000U);
  int judged = 0;
  const auto wanted = [&](const auto& d) {
    ++judged;
    return has_12345(d);
  };
  steps_to_the_end<TypeParam>(c, wanted);
  EXPECT_LT(judged, 400);
  EXPECT_LE(std::ranges::max(extents_of(c)), 3) << TypeParam::to_text(c);
}

/// The last element of the first array of the case's dtype.
template <class Case>
double last_element(const Case& c) {
  double last = 0;
  bool is_first = true;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && is_of_dtype<Row>) {
      if (is_first && !(c.*row.in_case).empty()) last = double{(c.*row.in_case).back()};
      is_first = false;
    }
  });
  return last;
}

/// Where structure may not shrink, values do, and they too come to an end.
TYPED_TEST(ShrinkingOf, ValuesAloneEnds) {
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto c = generated<TypeParam>(seed);
    const auto start = extents_of(c);
    const int steps =
        steps_to_the_end<TypeParam>(c, [&](const auto& d) { return extents_of(d) == start && last_element(d) != 0; });
    EXPECT_LT(steps, 10'000) << "seed " << seed;
    moved += steps > 0 ? 1 : 0;
  }
  EXPECT_GT(moved, 25);
}

class ShrunkFault : public testing::TestWithParam<Check> {};

/// What a person who reads a report has to look at.
TEST_P(ShrunkFault, IsSmall) {
  GetParam().run();
}

template <class O>
void expect_small(const SmallFault& small) {
  const Fault<O>& fault = named(O::faults(), small.name);
  const Property<O>& property = named(O::properties(), fault.caught_by);
  const auto judge_one = [&](const typename O::Case& c) { return judge(property, Context<O>{*fault.kernel, 40}, c); };
  const auto found = search<O>(property.profile, 200, 1, 2000, judge_one);
  ASSERT_TRUE(found.has_value());
  const auto& smallest = found->problem.template as<typename O::Case>();
  EXPECT_TRUE(is_failure(found->finding.verdict));
  EXPECT_TRUE(is_failure(judge_one(smallest).verdict)) << "the case itself fails";
  expect_none_larger(extents_of(smallest), small.extents);
  EXPECT_LE(O::to_text(smallest).size(), 300U) << O::to_text(smallest);
}

const std::vector<Check> small_faults = checks_of_all([]<class O>(O) {
  std::vector<Check> checks;
  for (const SmallFault& small : Samples<O>::small_faults())
    checks.push_back({O::name + std::string("_") + small.name, [small] { expect_small<O>(small); }});
  return checks;
});
INSTANTIATE_TEST_SUITE_P(All, ShrunkFault, testing::ValuesIn(small_faults), check_name);

}  // namespace
}  // namespace assay::validation
