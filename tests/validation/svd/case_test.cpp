// A batch of matrices: its types, parts of it, norms, and what keeps it from being a problem.
#include "validation/svd/case.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/refusal.h"
#include "tests/validation/svd/kernels.h"

namespace assay::validation {
namespace {

using tests::doubles::infinity;
using tests::doubles::nan;

TEST(Dtypes, HaveTheRangeAndPrecisionTheyAreSaidToHave) {
  for (const Dtype dtype : all_dtypes()) {
    const auto rounds_to = [&](double value, double expected) {
      EXPECT_EQ(rounded_to<double>(dtype, value), expected) << name_of(dtype) << ' ' << value;
    };
    const double u = format_of(dtype).roundoff, least = format_of(dtype).smallest, most = format_of(dtype).largest;
    rounds_to(1 + 2 * u, 1 + 2 * u);
    rounds_to(1 + 3 * u, 1 + 4 * u);
    rounds_to(1 + u, 1);
    rounds_to(least, least);
    rounds_to(-most, -most);
    if (dtype != Dtype::float64) {
      rounds_to(least / 2, 0);
      rounds_to(most * (1 + u), infinity);
      rounds_to(most * (1 + u / 4), most);
    }
    rounds_to(-infinity, -infinity);
    EXPECT_TRUE(std::isnan(rounded_to<double>(dtype, nan)));
    EXPECT_TRUE(std::signbit(rounded_to<double>(dtype, -0.0)));
  }
  EXPECT_EQ(rounded_to<double>(Dtype::float64, 0.1), 0.1);
  EXPECT_EQ(rounded_to<double>(Dtype::float32, 0.1), double{0.1F});
  EXPECT_EQ(rounded_to(Dtype::float16, 0.1), 0x1.998p-4F);
  EXPECT_EQ(rounded_to(Dtype::bfloat16, 0.1), 0x1.9Ap-4F);
  EXPECT_EQ(format_of(Dtype::float64).largest, std::numeric_limits<double>::max());
  EXPECT_EQ(format_of(Dtype::float64).smallest, std::numeric_limits<double>::denorm_min());
}

TEST(Dtypes, OfSingularValuesAreFloat32OrThatOfTheMatrix) {
  EXPECT_EQ(value_dtype(Dtype::float64), Dtype::float64);
  for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16})
    EXPECT_EQ(value_dtype(dtype), Dtype::float32);
}

TEST(SvdCase, IsTakenApart) {
  const SvdCase c = two_tall(Dtype::float16);
  const SvdCase second = select_matrix(c, 1);
  EXPECT_EQ(second, (SvdCase{1, 3, 2, Dtype::float16, {1, 0, 0, 1, 1, 1}}));
  const SvdCase rows = select_rows(c, {2, 0, 2, 1});
  EXPECT_EQ(rows.M, 4);
  EXPECT_THAT(rows.A, ElementsAre(1, 0, 0.5, -1, 1, 0, 0.25, 2, 1, 1, 1, 0, 1, 1, 0, 1));
  const SvdCase columns = select_columns(c, {1});
  EXPECT_EQ(columns.N, 1);
  EXPECT_THAT(columns.A, ElementsAre(-1, 2, 0, 0, 1, 1));
  EXPECT_EQ(select_columns(select_rows(c, {0, 1, 2}), {0, 1}), c);
  const SvdCase wide = transposed(c);
  EXPECT_EQ(wide.M, 2);
  EXPECT_EQ(wide.N, 3);
  EXPECT_THAT(wide.A, ElementsAre(0.5, 0.25, 1, -1, 2, 0, 1, 0, 1, 0, 1, 1));
  EXPECT_EQ(transposed(wide), c);
  EXPECT_EQ(c.K(), 2);
  EXPECT_EQ(wide.K(), 2);
  EXPECT_EQ(c.at(1, 2, 0), 1);
}

/// Squares of none of these are within the range of double, or all of them are 0.
TEST(SvdCase, HasNormsAtAnyScale) {
  for (const double scale : {1.0, 1e200, 1e-200, 0x1p-1073, -1e-300}) {
    const SvdCase c{2, 1, 2, Dtype::float64, {3 * scale, -4 * scale, 0, 0}};
    EXPECT_EQ(largest_element(c, 0), 4 * std::abs(scale));
    EXPECT_NEAR(frobenius_norm(c, 0) / std::abs(scale), 5, 1e-15);
    EXPECT_EQ(largest_element(c, 1), 0);
    EXPECT_EQ(frobenius_norm(c, 1), 0);
  }
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(frobenius_norm({1, 1, 2, Dtype::float64, {most, most}}, 0), infinity);
  EXPECT_EQ(frobenius_norm({1, 0, 2, Dtype::float64, {}}, 0), 0);
}

struct Invalid {
  void (*spoil)(SvdCase&);
  const char* says;
};

TEST(SvdCase, IsRefusedByNameWhereItIsNone) {
  const Invalid all[] = {
      {[](SvdCase& c) { c.B = -1; }, "B = -1: expected at least 0"},
      {[](SvdCase& c) { c.M = -2; }, "M = -2: expected at least 0"},
      {[](SvdCase& c) { c.N = -3; }, "N = -3: expected at least 0"},
      {[](SvdCase& c) { c.A.pop_back(); }, "A.size() = 11: expected B * M * N = 12"},
      {[](SvdCase& c) { c.A.push_back(1); }, "A.size() = 13: expected B * M * N = 12"},
      {[](SvdCase& c) { c.A[11] = nan; }, "A[b=1, i=2, j=1] = nan: expected a finite number"},
      {[](SvdCase& c) { c.A[0] = -infinity; }, "A[b=0, i=0, j=0] = -inf: expected a finite number"},
  };
  EXPECT_NO_THROW(require_valid(two_tall()));
  EXPECT_NO_THROW(require_valid(SvdCase{}));
  EXPECT_NO_THROW(require_valid(SvdCase{3, 0, 2, Dtype::float32, {}}));
  for (const Invalid& one : all) {
    SvdCase c = two_tall();
    one.spoil(c);
    EXPECT_THAT(refusal_of([&] { require_valid(c); }), HasSubstr(one.says));
  }
}

}  // namespace
}  // namespace assay::validation
