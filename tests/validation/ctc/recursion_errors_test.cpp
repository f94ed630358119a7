// What a frame of the recursion rounds: by hand, on few states.
#include "validation/ctc/recursion_errors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "validation/core/sums.h"

namespace assay::validation {
namespace {

constexpr double u = 0x1p-24;

/// Labels 1 2 in `T` frames: the states are - 1 - 2 -, and the classes their slots.
RowLattice two_labels(std::int64_t T, double log_blank, double log_label) {
  RowLattice row{
      .states = {0, 1, 0, 2, 0}, .slots = {0, 1, 0, 2, 0}, .log_y = {T, 3, log_label}, .log_y_error = {T, 3}};
  for (std::int64_t t = 0; t < T; ++t) row.log_y(t, 0) = log_blank;
  return row;
}

const CtcKernelInfo log_space = {.name = "some", .arithmetic = Arithmetic::log_space, .unit_roundoff = u};

double twelve_more(double sizes) {
  return u * sizes + gamma(12, u);
}

TEST(RecursionErrors, CountSizesOfTheStateItself) {
  const RowLattice row = two_labels(6, -1, -2);
  const RecursionErrors errors(row, log_space);
  const RowFrame first = errors.alpha(0, {}), second = errors.alpha(1, first);
  EXPECT_EQ(first.at(1).log, -2);
  EXPECT_NEAR(first.at(1).local, twelve_more(2 + 2), 1e-15);
  EXPECT_EQ(second.at(0).log, -2);  // one term of -1, and the largest sum is 1
  EXPECT_NEAR(second.at(0).local, twelve_more(2 + 1 + 2), 1e-12);
  const double sum = std::log(std::exp(-1.0) + std::exp(-2.0));
  EXPECT_NEAR(second.at(1).log, sum - 2, 1e-15);
  EXPECT_NEAR(second.at(1).local, twelve_more(2 - sum - sum + 2 - sum), 1e-12);
}

TEST(RecursionErrors, InProbabilitiesAreFourRoundings) {
  const RowLattice row = two_labels(6, -1, -2);
  const RecursionErrors errors(row, {.name = "some", .arithmetic = Arithmetic::probability, .unit_roundoff = u});
  EXPECT_DOUBLE_EQ(errors.alpha(0, {}).at(1).local, gamma(4, u));
}

/// A kernel that subtracts the largest logarithm of a frame finds it among all states, those of no alignment too: in
/// the last frame the first blank has nearly all the probability, and no path ends there.
TEST(RecursionErrors, KnowOfTheLargestSumAmongStatesThatLeadNowhere) {
  const RowLattice row = two_labels(3, 0, -50);
  const RecursionErrors errors(row, log_space);
  RowFrame frame;
  for (std::int64_t t = 0; t < 3; ++t) frame = errors.alpha(t, frame);
  EXPECT_EQ(frame.first, 3);
  EXPECT_LT(frame.at(3).log, -90);
  EXPECT_EQ(frame.largest, 0);
}

TEST(RecursionErrors, OfBetaAreThoseOfAlphaBackwards) {
  const RowLattice row = two_labels(5, -1, -2);
  const RecursionErrors errors(row, log_space);
  RowFrame alpha, beta;
  for (std::int64_t t = 0; t < 5; ++t) alpha = errors.alpha(t, alpha);
  for (std::int64_t t = 4; t >= 0; --t) beta = errors.beta(t, beta, {});
  for (std::int64_t s = 0; s < 5; ++s) {
    EXPECT_DOUBLE_EQ(beta.at(s).log, alpha.at(4 - s).log) << s;
    EXPECT_DOUBLE_EQ(beta.at(s).growth, alpha.at(4 - s).growth) << s;
  }
  EXPECT_DOUBLE_EQ(errors.p_of_alpha(alpha).log, errors.p_of_beta(beta).log);
}

TEST(RecursionErrors, OfAFrameThatExcludesAllAreZero) {
  const RowLattice row = two_labels(4, log_zero, log_zero);
  const RecursionErrors errors(row, log_space);
  const RowFrame first = errors.alpha(0, {});
  EXPECT_EQ(first.at(0).log, log_zero);
  EXPECT_EQ(first.at(0).growth, 0);
  EXPECT_EQ(errors.alpha(1, first).at(1).log, log_zero);
}

}  // namespace
}  // namespace assay::validation
