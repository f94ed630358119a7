// Coverage: each class of cases is met by a case of its own, and by no case without it.
#include "validation/svd/operation.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/validation/svd/kernels.h"

namespace assay::validation {
namespace {

/// Tall, K = 2, singular values sqrt(3) and 1.
SvdCase ordinary() {
  return {1, 3, 2, Dtype::float32, {1, 0, 0, 1, 1, 1}};
}

/// The identity's first columns, each times its scale.
SvdCase diagonal(std::vector<double> scales, Dtype dtype = Dtype::float32) {
  const auto N = static_cast<std::int64_t>(scales.size());
  SvdCase c{1, N + 1, N, dtype, std::vector<double>(static_cast<std::size_t>((N + 1) * N))};
  for (std::int64_t j = 0; j < N; ++j) c.at(0, j, j) = scales[static_cast<std::size_t>(j)];
  return c;
}

SvdCase times(SvdCase c, double scale) {
  for (double& element : c.A) element *= scale;
  return c;
}

const std::map<std::string, std::function<SvdCase()>>& makers() {
  static const std::map<std::string, std::function<SvdCase()>> all = {
      {"one row", [] { return select_rows(ordinary(), {2}); }},
      {"one column", [] { return select_columns(ordinary(), {0}); }},
      {"square", [] { return select_rows(ordinary(), {0, 2}); }},
      {"tall", ordinary},
      {"wide", [] { return transposed(ordinary()); }},
      {"odd K", [] { return diagonal({3, 2, 1}); }},
      {"even K", ordinary},
      {"K of 15 or more", [] { return diagonal({15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}); }},
      {"several matrices", [] { return two_tall(); }},
      {"zero matrix", [] { return times(ordinary(), 0); }},
      {"zero column", [] { return diagonal({1, 0}); }},
      {"rank deficient", [] { return SvdCase{1, 3, 2, Dtype::float32, {1, 2, 2, 4, -1, -2}}; }},
      {"graded to 1e-6", [] { return diagonal({1, 1e-7}); }},
      {"equal values", [] { return diagonal({2, 2}); }},
      {"close values", [] { return diagonal({1, 1 + 0x1p-20}); }},
      {"elements below 1e-30", [] { return times(ordinary(), 0x1p-100); }},
      {"elements above 1e30", [] { return times(ordinary(), 0x1p100); }},
      {"subnormal", [] { return times(ordinary(), 0x1p-127); }},
      {"near the largest number", [] { return times(ordinary(), 0x1p126); }},
      {"float16", [] { return diagonal({2, 1}, Dtype::float16); }},
      {"bfloat16", [] { return diagonal({2, 1}, Dtype::bfloat16); }},
      {"float64", [] { return diagonal({2, 1}, Dtype::float64); }},
  };
  return all;
}

/// Every matrix has a shape and a number of columns; beyond that an ordinary one is nothing special.
TEST(SvdCoverage, PutsAnOrdinaryCaseIntoNoOtherClass) {
  EXPECT_THAT(classes_of<SvdOperation>(ordinary()), ElementsAre("tall", "even K"));
  EXPECT_THAT(classes_of<SvdOperation>(transposed(ordinary())), ElementsAre("wide", "even K"));
}

TEST(SvdCoverage, KnowsEachClassByACaseOfIt) {
  for (const auto& [name, make] : makers()) {
    EXPECT_NO_THROW(require_valid(make())) << name;
    EXPECT_THAT(classes_of<SvdOperation>(make()), Contains(name));
  }
}

TEST(SvdCoverage, HasNoClassWithoutATestOfIt) {
  std::set<std::string> tested, counted;
  for (const auto& [name, make] : makers()) tested.insert(name);
  for (const auto& name : class_names<SvdOperation>()) EXPECT_TRUE(counted.insert(name).second) << name;
  EXPECT_EQ(tested, counted);
}

/// A case has the class it was made for and those that it implies, and no others.
TEST(SvdCoverage, TellsClassesApart) {
  const auto has = [](const std::string& name, std::vector<std::string> all) {
    EXPECT_THAT(classes_of<SvdOperation>(makers().at(name)()), testing::UnorderedElementsAreArray(all)) << name;
  };
  has("one row", {"one row", "wide", "odd K"});
  has("one column", {"one column", "tall", "odd K"});
  has("square", {"square", "even K"});
  has("odd K", {"tall", "odd K"});
  has("K of 15 or more", {"tall", "odd K", "K of 15 or more"});
  has("several matrices", {"tall", "even K", "several matrices"});
  has("zero column", {"tall", "even K", "zero column", "rank deficient"});
  has("rank deficient", {"tall", "even K", "rank deficient"});
  has("graded to 1e-6", {"tall", "even K", "graded to 1e-6"});
  EXPECT_THAT(classes_of<SvdOperation>({1, 2, 3, Dtype::float32, {1, 0.5, 1, 0, 1e-7, 2e-7}}),
              ElementsAre("wide", "even K", "graded to 1e-6"))
      << "by its rows";
  has("equal values", {"tall", "even K", "equal values"});
  has("close values", {"tall", "even K", "close values"});
  has("subnormal", {"tall", "even K", "subnormal", "elements below 1e-30"});
  has("near the largest number", {"tall", "even K", "near the largest number", "elements above 1e30"});
  has("float64", {"tall", "even K", "float64"});
}

TEST(SvdCoverage, StopsShortOfTheBorders) {
  const auto hasnt = [](const SvdCase& c, const char* name) {
    EXPECT_THAT(classes_of<SvdOperation>(c), Not(Contains(name)));
  };
  hasnt(diagonal({14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}), "K of 15 or more");
  hasnt(diagonal({1, 2e-6}), "graded to 1e-6");
  hasnt({1, 2, 3, Dtype::float32, {1, 1e-7, 1e-7, 0, 1, 1e-7}}, "graded to 1e-6");
  hasnt(diagonal({1, 1 + 2e-5}), "close values");
  hasnt(diagonal({1, 0x1p-40}), "rank deficient");
  hasnt(times(ordinary(), 0x1p-126), "subnormal");
  hasnt(diagonal({1, 0x1p-130}), "subnormal");
  hasnt(times(ordinary(), 0x1p125), "near the largest number");
  hasnt(diagonal({0x1p-20, 0x1p-21}, Dtype::bfloat16), "subnormal");
  EXPECT_THAT(classes_of<SvdOperation>(diagonal({0x1p-20, 0x1p-21}, Dtype::float16)), Contains("subnormal"));
  EXPECT_THAT(classes_of<SvdOperation>(diagonal({0x1p-1060, 0x1p-1061}, Dtype::float64)), Contains("subnormal"));
}

TEST(SvdCoverage, LooksAtEveryMatrixOfABatch) {
  SvdCase c = two_tall();
  for (std::size_t at = 6; at < 12; ++at) c.A[at] = 0;
  EXPECT_THAT(classes_of<SvdOperation>(c), Contains("zero matrix"));
  c.A[6] = 1;
  EXPECT_THAT(classes_of<SvdOperation>(c), Contains("zero column"));
}

TEST(SvdCoverage, CountsNothingForABatchOfNothing) {
  const auto classes = classes_of<SvdOperation>({0, 3, 2, Dtype::float32, {}});
  EXPECT_THAT(classes, ElementsAre("tall", "even K"));
}

}  // namespace
}  // namespace assay::validation
