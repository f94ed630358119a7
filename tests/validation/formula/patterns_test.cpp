// Patterns of values: a kernel that is wrong at one alone is accused, and the elements are what the names say.
#include "validation/formula/patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "validation/formula/operation.h"
#include "validation/formula/planned.h"

namespace assay::validation::formula {
namespace {

constexpr std::size_t pattern_rows = 70, pattern_columns = 40;

/// x + y, for arrays [N, D] beside flags and indices that a pattern decides too.
Subject sum_of_two() {
  const Specification specification{
      "sum_of_two",
      {{"x", {"N", "D"}}, {"y", {"N", "D"}}, {"keep", {"N", "D"}, Kind::flag}, {"at", {"N", "D"}, Kind::index, "V"}},
      {"N", "D", "V"}};
  const auto formula = [](const Extents&, const auto& inputs) {
    auto sum = inputs[0];
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = inputs[0][i] + inputs[1][i];
    return std::decay_t<decltype(inputs)>{sum};
  };
  return subject_of(specification, {{"N", "D"}}, formula);
}

Kernel sum_but_for(const Pattern* wrong) {
  return [wrong](const Case& c) {
    Doubles y = {c.arrays[0]};
    for (std::size_t i = 0; i < y[0].size(); ++i)
      y[0][i] = c.values.pattern == wrong && wrong != nullptr ? 1e9 : double{float(c.arrays[0][i] + c.arrays[1][i])};
    return y;
  };
}

std::vector<double> filled_by(const Pattern& pattern, Dtype dtype, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> array(pattern_rows * pattern_columns);
  fill_by_pattern(random, pattern, {"x", {"N", "D"}}, {}, {array, pattern_columns, format_of(dtype)});
  for (double& x : array) x = rounded_to<double>(dtype, x);
  return array;
}

bool every_row(const std::vector<double>& array, const auto& holds) {
  for (std::size_t first = 0; first < array.size(); first += pattern_columns)
    if (!holds(std::span(array).subspan(first, pattern_columns))) return false;
  return true;
}

bool within(const std::vector<double>& array, double low, double high) {
  return std::ranges::all_of(array, [&](double x) { return low < x && x < high; });
}

using Holds = std::function<bool(const std::vector<double>&)>;
const std::map<std::string_view, Holds> claims = {
    {"ascending rows",
     [](const auto& array) {
       return every_row(array, [](auto row) { return std::ranges::is_sorted(row, std::less_equal<>()); });
     }},
    {"descending rows",
     [](const auto& array) {
       return every_row(array, [](auto row) { return std::ranges::is_sorted(row, std::greater_equal<>()); });
     }},
    {"numbers from 1 to 2", [](const auto& array) { return within(array, 1, 2); }},
    {"numbers of one binade",
     [](const auto& array) {
       return std::ranges::all_of(array, [&](double x) {
         return std::ilogb(x) == std::ilogb(array[0]) && std::signbit(x) == std::signbit(array[0]);
       });
     }},
    {"numbers in (0, 1)", [](const auto& array) { return within(array, 0, 1); }},
    {"rows that sum to 0",
     [](const auto& array) {
       return every_row(array, [](auto row) {
         return std::accumulate(row.begin(), row.end(), 0.0) == 0 && std::ranges::max(row) > 0;
       });
     }},
    {"constant rows",
     [](const auto& array) {
       return every_row(array, [](auto row) { return std::ranges::count(row, row[0]) == pattern_columns; });
     }},
    {"one value",
     [](const auto& array) { return std::ranges::count(array, array[0]) == pattern_rows * pattern_columns; }},
    {"what a ReLU leaves", [](const auto& array) {
       return std::ranges::min(array) == 0 && std::ranges::count(array, 0.0) > std::ssize(array) / 2 &&
              std::ranges::max(array) > 1;
     }}};

TEST(FormulaPatterns, ElementsAreWhatTheNameSays) {
  std::size_t claimed = 0;
  for (const Pattern& pattern : patterns())
    for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
      const auto claim = claims.find(pattern.name);
      if (claim == claims.end()) continue;
      ++claimed;
      for (std::uint64_t seed = 1; seed <= 20; ++seed)
        ASSERT_TRUE(claim->second(filled_by(pattern, dtype, seed))) << pattern.name << ", seed " << seed;
    }
  EXPECT_EQ(claimed, 3 * claims.size());
}

TEST(FormulaPatterns, NormalNumbersMeetNoClaim) {
  for (const auto& [name, holds] : claims) EXPECT_FALSE(holds(filled_by(contiguous_normal, Dtype::float32, 1))) << name;
}

TEST(FormulaPatterns, KindsThatAllowFewerNumbersKeepTheOrder) {
  for (const Kind kind : {Kind::unit, Kind::decay, Kind::positive}) {
    Random random(1);
    std::vector<double> array(pattern_rows * pattern_columns);
    fill_by_pattern(random, patterns().front(), {"x", {"N", "D"}, kind}, {},
                    {array, pattern_columns, format_of(Dtype::float32)});
    EXPECT_TRUE(within(array, 0, 1 + 1e-9));
    EXPECT_TRUE(claims.at("ascending rows")(array));
  }
}

TEST(FormulaPatterns, AKernelThatIsWrongAtOneIsAccusedByItsName) {
  Subject subject = sum_of_two();
  GateRun run_of_few{.options = options_of(2), .filter = "^outputs$"};
  run_of_few.options.shrink_budget = 0;
  subject.forward = sum_but_for(nullptr);
  EXPECT_EQ(failures_of(run(subject, run_of_few)), 0);
  for (const Pattern& pattern : patterns()) {
    subject.forward = sum_but_for(&pattern);
    const GateRecord record = run(subject, run_of_few);
    EXPECT_EQ(failures_of(record), 1) << pattern.name;
    EXPECT_NE(table_text(record).find("values " + std::string(pattern.name)), std::string::npos) << table_text(record);
  }
}

TEST(FormulaPatterns, IndicesAreInOrderFlagsSetAndInputsEqual) {
  const Subject subject = sum_of_two();
  int met = 0;
  for (const Planned& plan : planned_of(subject.specification, subject.trace, false, Reach::quick, Dtype::float32, 1)) {
    if (plan.values.pattern == nullptr) continue;
    Random random(1);
    const Case c = drawn(plan, subject.specification, subject.trace, Dtype::float32, random);
    EXPECT_EQ(plan.values.pattern->has_equal_inputs, c.arrays[0] == c.arrays[1]) << plan.values.pattern->name;
    EXPECT_EQ(plan.values.pattern->index != nullptr, std::ranges::count(c.arrays[2], 0) == 0);
    if (plan.values.pattern->name.starts_with("indices in order")) {
      ++met;
      for (std::int64_t i = 0; i < std::ssize(c.arrays[3]); ++i)
        ASSERT_EQ(c.arrays[3][static_cast<std::size_t>(i)], static_cast<double>(i % c.extents.at("V")));
    }
  }
  EXPECT_EQ(met, 1);
}

TEST(FormulaPatterns, SeedsTakeTurnsWithTheSizesAndAFullRunHasBoth) {
  const Subject subject = sum_of_two();
  const auto sizes_at = [&](Reach reach, std::uint64_t seed) {
    std::vector<Extents> sizes;
    for (const Planned& plan : planned_of(subject.specification, subject.trace, false, reach, Dtype::float32, seed))
      if (plan.values.pattern == &patterns().front()) sizes.push_back(plan.sizes);
    return sizes;
  };
  const auto one = sizes_at(Reach::quick, 1), other = sizes_at(Reach::quick, 2);
  ASSERT_EQ(one.size(), 1);
  ASSERT_EQ(other.size(), 1);
  EXPECT_NE(one, other);
  EXPECT_EQ(sizes_at(Reach::full, 1).size(), 2);
}

}  // namespace
}  // namespace assay::validation::formula
