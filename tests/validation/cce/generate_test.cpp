// Generated cases: every one valid, every interesting class among them, and the same for the same seed.
#include "validation/cce/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/validation/cce/kernels.h"
#include "validation/cce/coverage.h"

namespace assay::validation {
namespace {

TEST(CceGenerator, MakesValidProblemsOnly) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    EXPECT_NO_THROW(require_valid(generated_cce(seed)));
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

/// A property's profile is its own; each of them must be met too.
TEST(CceGenerator, MakesValidProblemsForEveryProperty) {
  for (const auto& property : CceOperation::properties()) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const CceCase c = generated_cce(seed, property.profile);
      EXPECT_NO_THROW(require_valid(c));
      EXPECT_GE(c.N, property.profile.min_tokens);
      ASSERT_FALSE(HasFailure()) << property.name << ", seed " << seed;
    }
  }
}

TEST(CceGenerator, MeetsEveryClassOftenEnoughToMatter) {
  Coverage coverage(cce_classes());
  for (std::uint64_t seed = 0; seed < 2000; ++seed) coverage.count(classes_of(generated_cce(seed)));
  for (const auto& [name, count] : coverage.counts()) EXPECT_GE(count, 20) << name;
}

/// What a row that is ignored holds must not be read: it is NaN or infinite more often than not.
TEST(CceGenerator, SpoilsIgnoredRowsAndNoOthers) {
  int nan = 0, infinite = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const CceCase c = generated_cce(seed);
    for (std::int64_t n = 0; n < c.N; ++n) {
      for (std::int64_t h = 0; h < c.H; ++h) {
        EXPECT_TRUE(c.is_ignored(n) || std::isfinite(c.hidden_at(n, h))) << "seed " << seed;
        nan += std::isnan(c.hidden_at(n, h)) ? 1 : 0;
        infinite += std::isinf(c.hidden_at(n, h)) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(nan, 100);
  EXPECT_GT(infinite, 100);
}

TEST(CceGenerator, MakesNumbersOfTheCasesType) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const CceCase c = generated_cce(seed, {.half_types = 1});
    EXPECT_NE(c.dtype, Dtype::float32);
    for (const auto* const values : {&c.hidden, &c.weight, &c.bias})
      for (const float value : *values)
        EXPECT_TRUE(std::isnan(value) || rounded_to(c.dtype, double{value}) == value) << "seed " << seed;
  }
}

TEST(CceGenerator, IsDeterminedByItsSeed) {
  int different = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    EXPECT_TRUE(generated_cce(seed) == generated_cce(seed));
    different += generated_cce(seed) == generated_cce(seed + 101) ? 0 : 1;
  }
  EXPECT_GT(different, 290);
}

TEST(CceGenerator, LeavesOutWhatItsProfileDoes) {
  const CceProfile nothing{.ignored = 0,
                           .bias = 0,
                           .softcap = 0,
                           .smoothing = 0,
                           .z_loss = 0,
                           .half_types = 0,
                           .many_entries = 0,
                           .many_tokens = 0};
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto classes = classes_of(generated_cce(seed, nothing));
    for (const std::string absent : {"some ignored", "all ignored", "bias", "softcap", "label smoothing", "z-loss",
                                     "float16", "bfloat16", "200 words or more", "7 tokens or more"})
      EXPECT_EQ(std::count(classes.begin(), classes.end(), absent), 0) << absent << ", seed " << seed;
    const auto calm = classes_of(generated_cce(seed, {.bias = 1, .minus_infinity = 0, .offset = 0}));
    for (const std::string absent : {"-inf bias", "|bias| >= 1000"})
      EXPECT_EQ(std::count(calm.begin(), calm.end(), absent), 0) << absent << ", seed " << seed;
  }
}

TEST(CceGenerator, MakesWhatItsProfileAsksFor) {
  int ignored = 0, many = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const CceCase c =
        generated_cce(seed, {.min_tokens = 5, .ignored = 1, .bias = 1, .softcap = 1, .smoothing = 1, .z_loss = 1});
    EXPECT_GE(c.N, 5);
    EXPECT_EQ(c.bias.size(), static_cast<std::size_t>(c.V));
    EXPECT_TRUE(c.has_softcap() && c.label_smoothing > 0 && c.z_loss > 0);
    ignored += c.valid_tokens() < c.N ? 1 : 0;
    many += generated_cce(seed, {.many_entries = 1}).V >= 200 ? 1 : 0;
  }
  EXPECT_GT(ignored, 400);
  EXPECT_GT(many, 350) << "but for the first, which are small";
}

/// The reference computes each product in software: what takes it seconds is not for thousands of cases.
TEST(CceGenerator, KeepsToItsBudget) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const CceCase c = generated_cce(seed, {.many_entries = 0.5, .many_tokens = 0.5});
    EXPECT_LE(c.N * c.V * c.H, 24'000) << "seed " << seed;
    Random random(seed);
    EXPECT_LE(generate_cce(random, 5, {.many_entries = 1, .many_tokens = 1}).V, 2) << "small cases come first";
  }
}

}  // namespace
}  // namespace assay::validation
