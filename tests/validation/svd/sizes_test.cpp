// Sizes that generated matrices do not reach: valid, named, and graded as they say.
#include "validation/svd/operation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "tests/validation/svd/kernels.h"

namespace assay::validation {
namespace {

double column_norm(const SvdCase& c, std::int64_t j) {
  double squares = 0;
  for (std::int64_t i = 0; i < c.M; ++i) squares += c.at(0, i, j) * c.at(0, i, j);
  return std::sqrt(squares);
}

TEST(SvdSizes, AreNamedOnceAndValid) {
  std::set<std::string> names;
  std::int64_t largest = 0;
  for (const auto& one : SvdOperation::sized_cases()) {
    const auto& c = one.problem.as<SvdCase>();
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_NO_THROW(require_valid(c)) << one.name;
    EXPECT_NE(one.name.find(name_of(c.dtype)), std::string::npos) << one.name;
    EXPECT_EQ(one.name.find("M=" + std::to_string(c.M) + " "), 0U) << one.name;
    EXPECT_TRUE(one.reference_only) << one.name;
    for (const double value : c.A) ASSERT_EQ(rounded_to<double>(c.dtype, value), value);
    largest = std::max(largest, c.K());
  }
  EXPECT_GE(names.size(), 5U);
  EXPECT_GT(largest, 128) << "past the sizes that kernels are specialised for";
}

TEST(SvdSizes, AreTheSameForTheSameSeedAlone) {
  EXPECT_EQ(SvdOperation::sized_case(2, 5, 4, 3, Dtype::float16, 1),
            SvdOperation::sized_case(2, 5, 4, 3, Dtype::float16, 1));
  EXPECT_FALSE(SvdOperation::sized_case(2, 5, 4, 3, Dtype::float16, 1) ==
               SvdOperation::sized_case(2, 5, 4, 3, Dtype::float16, 2));
  const SvdCase c = SvdOperation::sized_case(2, 5, 4, 0, Dtype::float64, 1);
  EXPECT_EQ(c.A.size(), 40U);
  EXPECT_FALSE(select_matrix(c, 0) == select_matrix(c, 1));
}

TEST(SvdSizes, GradeColumnsInMixedOrder) {
  const SvdCase c = SvdOperation::sized_case(1, 60, 24, 12, Dtype::float64, 1);
  double least = 1e9, most = 0;
  bool descends = true, ascends = true;
  for (std::int64_t j = 0; j < c.N; ++j) {
    least = std::min(least, column_norm(c, j));
    most = std::max(most, column_norm(c, j));
    descends &= j == 0 || column_norm(c, j) <= column_norm(c, j - 1);
    ascends &= j == 0 || column_norm(c, j) >= column_norm(c, j - 1);
  }
  EXPECT_GT(most / least, 1e11);
  EXPECT_LT(most / least, 1e13);
  EXPECT_FALSE(descends || ascends);
}

TEST(SvdSizes, GradeRowsOfWideOnes) {
  const SvdCase c = SvdOperation::sized_case(1, 8, 40, 6, Dtype::float32, 1);
  const SvdCase by_rows = transposed(c);
  double least = 1e9, most = 0;
  for (std::int64_t i = 0; i < 8; ++i) {
    least = std::min(least, column_norm(by_rows, i));
    most = std::max(most, column_norm(by_rows, i));
  }
  EXPECT_GT(most / least, 1e4);
  const SvdCase flat = SvdOperation::sized_case(1, 40, 8, 0, Dtype::float32, 1);
  for (std::int64_t j = 0; j < 8; ++j) EXPECT_GT(column_norm(flat, j), 3);
}

}  // namespace
}  // namespace assay::validation
