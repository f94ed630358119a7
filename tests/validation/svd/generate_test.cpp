// Generated cases of the SVD beyond what every operation's are.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/validation/svd/kernels.h"
#include "validation/svd/operation.h"

namespace assay::validation {
namespace {

TEST(SvdGenerator, MakesSomeDoublesThatAreNoFloats) {
  int finer = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const SvdCase c = generated_svd(seed, {.half_types = 0, .doubles = 1});
    EXPECT_EQ(c.dtype, Dtype::float64);
    finer += std::any_of(c.A.begin(), c.A.end(), [](double x) { return double{static_cast<float>(x)} != x; }) ? 1 : 0;
  }
  EXPECT_GT(finer, 80);
}

bool has(const std::vector<std::string>& classes, const std::string& name) {
  return std::find(classes.begin(), classes.end(), name) != classes.end();
}

TEST(SvdGenerator, LeavesOutWhatItsProfileDoes) {
  const SvdProfile nothing{.deficient = 0, .graded = 0, .scaled = 0, .half_types = 0, .doubles = 0, .large = 0};
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto classes = classes_of<SvdOperation>(generated_svd(seed, nothing));
    for (const std::string absent : {"float16", "bfloat16", "float64", "elements below 1e-30", "elements above 1e30",
                                     "subnormal", "near the largest number", "K of 15 or more"})
      EXPECT_FALSE(has(classes, absent)) << absent << ", seed " << seed;
  }
}

TEST(SvdGenerator, MakesWhatItsProfileAsksFor) {
  int deficient = 0, graded = 0, equal = 0, large = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto classes = [&](const SvdProfile& profile) {
      return classes_of<SvdOperation>(generated_svd(seed, profile));
    };
    deficient += has(classes({.deficient = 1}), "rank deficient") ? 1 : 0;
    graded += has(classes({.deficient = 0, .graded = 1, .half_types = 0}), "graded to 1e-6") ? 1 : 0;
    equal += has(classes({.deficient = 0, .graded = 0, .equal = 1}), "equal values") ? 1 : 0;
    large += has(classes({.large = 1}), "K of 15 or more") ? 1 : 0;
    EXPECT_EQ(generated_svd(seed, {.half_types = 0, .doubles = 1}).dtype, Dtype::float64);
  }
  EXPECT_GT(deficient, 300);
  EXPECT_GT(graded, 35);
  EXPECT_GT(equal, 100);
  EXPECT_GT(large, 150);
}

/// The reference computes each rotation in software: what takes it seconds is not for thousands of cases.
TEST(SvdGenerator, KeepsToItsBudget) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const SvdCase c = generated_svd(seed, {.large = 0.5, .max_batch = 20});
    EXPECT_LE(c.B, 20) << "seed " << seed;
    EXPECT_LE(c.K(), 33) << "seed " << seed;
    EXPECT_LE(std::max(c.M, c.N), 66) << "seed " << seed;
    EXPECT_LE(c.B * c.M * c.N * c.K(), 80'000) << "seed " << seed;
    Random random(seed);
    const SvdCase first = SvdOperation::generate(random, 5, {.large = 1});
    EXPECT_EQ(first.K(), 1) << "small cases come first";
  }
}

TEST(SvdGenerator, ObeysTheLeastExtent) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const SvdCase c = generated_svd(seed, {.large = 0, .min_extent = 5});
    EXPECT_GE(c.K(), 5) << "seed " << seed;
  }
}

}  // namespace
}  // namespace assay::validation
