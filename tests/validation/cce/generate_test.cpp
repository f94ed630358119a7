// Generated cases of linear cross-entropy beyond what every operation's are.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/validation/cce/kernels.h"
#include "validation/cce/operation.h"

namespace assay::validation {
namespace {

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
    const auto classes = classes_of<CceOperation>(generated_cce(seed, nothing));
    for (const std::string absent : {"some ignored", "all ignored", "bias", "softcap", "label smoothing", "z-loss",
                                     "float16", "bfloat16", "200 words or more", "7 tokens or more"})
      EXPECT_EQ(std::count(classes.begin(), classes.end(), absent), 0) << absent << ", seed " << seed;
    const auto calm = classes_of<CceOperation>(generated_cce(seed, {.bias = 1, .minus_infinity = 0, .offset = 0}));
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
    EXPECT_LE(CceOperation::generate(random, 5, {.many_entries = 1, .many_tokens = 1}).V, 2)
        << "small cases come first";
  }
}

}  // namespace
}  // namespace assay::validation
