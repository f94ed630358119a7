// The extended-precision softmax that relations between a kernel's own results are formed with.
#include "validation/ctc/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/limits.h"
#include "tests/validation/ctc/kernels.h"
#include "validation/core/number.h"
#include "validation/ctc/operation.h"
#include "validation/ctc/truth.h"

namespace assay::validation {
namespace {

using tests::infinity;

TEST(Softmax, IsThatOfTheReference) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const CtcCase c = CtcOperation::generate(random, 20, {.minus_infinity = 0.3});
    const CtcTruth truth = truth_of(c, 30);
    for (std::int64_t b = 0; b < c.B; ++b) {
      for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t) {
        const auto y = softmax(c, t, b);
        ASSERT_EQ(y.size(), static_cast<std::size_t>(c.C));
        for (std::int64_t k = 0; k < c.C; ++k) {
          const double exact = truth.rows[static_cast<std::size_t>(b)].y(t, k);
          EXPECT_NEAR(static_cast<double>(y[static_cast<std::size_t>(k)]), exact, 1e-15 * exact) << "seed " << seed;
        }
      }
    }
  }
}

TEST(Softmax, CarriesMoreBitsThanDouble) {
  CtcCase c = three_of_four_paths();
  c.activations = {1, 0, 1, 0};
  const auto log_y = log_softmax(c, 0, 0);
  EXPECT_NEAR(static_cast<double>(log_y[0] + 0.31326168751822283404899549496785564L), 0, 1e-19);  // ln(1 + 1/e)
  EXPECT_NEAR(static_cast<double>(log_y[1] + 1.31326168751822283404899549496785564L), 0, 2e-19);
}

TEST(Softmax, OfLogitsFarApartIsFinite) {
  CtcCase c = three_of_four_paths();
  c.activations = {3e4F, -3e4F, -infinity, 5};
  EXPECT_EQ(softmax(c, 0, 0)[0], 1);
  EXPECT_EQ(log_softmax(c, 0, 0)[1], -6e4L);
  EXPECT_EQ(softmax(c, 1, 0)[0], 0);
  EXPECT_EQ(softmax(c, 1, 0)[1], 1);
}

TEST(Softmax, TakesLogProbabilitiesAsGiven) {
  CtcCase c = three_of_four_paths();
  c.input = CtcInput::log_probs;
  c.activations = {-1, -1, 0, -infinity};
  EXPECT_EQ(log_softmax(c, 0, 0)[0], -1);
  EXPECT_NEAR(static_cast<double>(softmax(c, 0, 0)[1]), std::exp(-1.0), 1e-16);
  EXPECT_EQ(softmax(c, 1, 0)[1], 0);
}

}  // namespace
}  // namespace assay::validation
