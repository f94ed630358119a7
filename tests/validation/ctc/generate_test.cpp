// Generated cases of CTC beyond what every operation's are.
#include "validation/ctc/operation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tests/validation/ctc/kernels.h"

namespace assay::validation {
namespace {

TEST(Generator, MeetsSpecialNumbers) {
  int subnormal = 0, minus_zero = 0, garbage = 0, far = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const CtcCase c = generated<CtcOperation>(seed);
    for (const float a : c.activations) {
      subnormal += a != 0 && std::abs(a) < std::numeric_limits<float>::min() ? 1 : 0;
      minus_zero += a == 0 && std::signbit(a) ? 1 : 0;
      garbage += std::isnan(a) ? 1 : 0;
      far += std::abs(a) == 3.0e4F ? 1 : 0;
    }
  }
  EXPECT_GT(subnormal, 0);
  EXPECT_GT(minus_zero, 0);
  EXPECT_GT(garbage, 0) << "frames past the length are to hold what must not be read";
  EXPECT_GT(far, 0);
}

TEST(Generator, KeepsToItsProfile) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const CtcCase never = generated<CtcOperation>(
        seed, {.impossible_rows = 0, .empty_rows = 0, .minus_infinity = 0, .log_probs = 0, .long_rows = 0});
    const auto classes = classes_of<CtcOperation>(never);
    for (const std::string absent :
         {"too few frames", "no frames", "-inf activations", "log_probs", "64 frames or more"})
      EXPECT_EQ(std::count(classes.begin(), classes.end(), absent), 0) << absent << ", seed " << seed;
    EXPECT_EQ(generated<CtcOperation>(seed, {.log_probs = 1}).input, CtcInput::log_probs);
  }
}

TEST(Generator, MakesLongRowsLateAlone) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    EXPECT_LE(CtcOperation::generate(random, 30, {.long_rows = 1}).T, 31 + 3) << seed;
  }
  EXPECT_GE(generated<CtcOperation>(100, {.empty_rows = 0, .long_rows = 1}).T, 31);
}

TEST(ToLogProbs, NormalisesEachFrameWithinTheLengthAndNoOther) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const CtcCase c = generated<CtcOperation>(seed, {.minus_infinity = 0.3, .log_probs = 0});
    const CtcCase logs = to_log_probs(c);
    EXPECT_EQ(logs.input, CtcInput::log_probs);
    EXPECT_NO_THROW(require_valid(logs));
    for (std::int64_t b = 0; b < c.B; ++b) {
      for (std::int64_t t = 0; t < c.T; ++t) {
        const auto frame = static_cast<std::size_t>((t * c.B + b) * c.C);
        if (t >= c.input_lengths[static_cast<std::size_t>(b)]) {
          EXPECT_EQ(std::memcmp(&c.activations[frame], &logs.activations[frame], sizeof(float) * std::size_t(c.C)), 0);
          continue;
        }
        double sum = 0;
        for (std::int64_t k = 0; k < c.C; ++k) {
          sum += std::exp(double{logs.activation(t, b, k)});
          EXPECT_EQ(std::isinf(logs.activation(t, b, k)), std::isinf(c.activation(t, b, k)));
        }
        EXPECT_NEAR(sum, 1, 1e-6) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace assay::validation
