// What is measured of factors: right where a hand can check it, at any scale, and never a small number where an element
// is NaN or infinite.
#include "validation/svd/measure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/limits.h"
#include "tests/validation/svd/kernels.h"

namespace assay::validation {
namespace {

using tests::doubles::infinity;
using tests::doubles::nan;

/// The exact factors of exchange(), times a scale.
SvdRun exact(double scale = 1) {
  SvdRun run;
  run.M = run.N = run.K = 2;
  run.U = {1, 0, 0, 1};
  run.S = {2 * scale, scale};
  run.Vh = {0, 1, 1, 0};
  return run;
}

SvdCase scaled_exchange(double scale) {
  return {1, 2, 2, Dtype::float64, {0, 2 * scale, scale, 0}};
}

TEST(SvdMeasure, IsZeroOfExactFactorsAtAnyScale) {
  for (const double scale : {1.0, 0x1p1000, 0x1p-1000, 0x1p-1074}) {
    const SvdCase c = scaled_exchange(scale);
    const SvdRun run = exact(scale);
    EXPECT_EQ(residual_norm(c, run, 0), 0);
    for (const std::int64_t k : {0, 1}) {
      EXPECT_EQ(image_of_v(c, run, 0, k), run.s(0, k)) << scale;
      EXPECT_EQ(image_of_u(c, run, 0, k), run.s(0, k)) << scale;
      for (const std::int64_t l : {0, 1}) {
        EXPECT_EQ(u_product(run, 0, k, l), k == l ? 1 : 0);
        EXPECT_EQ(v_product(run, 0, k, l), k == l ? 1 : 0);
      }
    }
  }
}

TEST(SvdMeasure, IsThatOfAHand) {
  const SvdCase c = exchange();
  SvdRun run = exact();
  run.S[0] = 2.25;
  run.S[1] = 1 - 0.3125;
  EXPECT_NEAR(residual_norm(c, run, 0), std::hypot(0.25, 0.3125), 1e-16);
  run = exact();
  run.U[2] = 0.5;  // the first column is (1, 1/2)
  EXPECT_EQ(u_product(run, 0, 0, 0), 1.25);
  EXPECT_EQ(u_product(run, 0, 0, 1), 0.5);
  EXPECT_EQ(u_product(run, 0, 1, 0), 0.5);
  EXPECT_EQ(residual_norm(c, run, 0), 1) << "half of 2 too much";
  EXPECT_NEAR(image_of_u(c, run, 0, 0), std::hypot(2, 0.5), 1e-15);
  EXPECT_EQ(image_of_v(c, run, 0, 0), 2) << "that of Vh alone";
  run.Vh[2] = -0.25;  // the second row is (-1/4, 0)
  EXPECT_EQ(v_product(run, 0, 1, 1), 0.0625);
  EXPECT_EQ(image_of_v(c, run, 0, 1), 0.25);
}

/// One that is tall, so that indices of rows and columns are told apart, in the second place of a batch.
TEST(SvdMeasure, OfOneMatrixOfABatch) {
  const SvdCase c{2, 3, 1, Dtype::float64, {9, 9, 9, 2, 3, 6}};
  SvdRun run;
  run.M = 3;
  run.N = run.K = 1;
  run.U = {8, 8, 8, 2.0 / 7, 3.0 / 7, 6.0 / 7};
  run.S = {8, 7};
  run.Vh = {8, 1};
  EXPECT_NEAR(residual_norm(c, run, 1), 0, 1e-15);
  EXPECT_NEAR(u_product(run, 1, 0, 0), 1, 1e-15);
  EXPECT_EQ(v_product(run, 1, 0, 0), 1);
  EXPECT_NEAR(image_of_v(c, run, 1, 0), 7, 1e-15);
  EXPECT_NEAR(image_of_u(c, run, 1, 0), 7, 1e-15);
  EXPECT_GT(residual_norm(c, run, 0), 500);
}

TEST(SvdMeasure, IsNoNumberWhereAnElementIsNone) {
  const SvdCase c = exchange();
  for (const double special : {nan, infinity, -infinity}) {
    for (auto output : {&SvdRun::U, &SvdRun::S, &SvdRun::Vh}) {
      for (std::size_t i = 0; i < (exact().*output).size(); ++i) {
        SvdRun run = exact();
        (run.*output)[i] = special;
        EXPECT_FALSE(residual_norm(c, run, 0) < 1e300) << special << ' ' << i;
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      SvdRun run = exact();
      run.U[i] = special;
      const auto k = static_cast<std::int64_t>(i % 2);
      EXPECT_FALSE(std::isfinite(u_product(run, 0, k, k)));
      EXPECT_FALSE(std::isfinite(u_product(run, 0, 0, 1)));
      EXPECT_FALSE(std::isfinite(image_of_u(c, run, 0, k)));
      run.Vh[i] = special;
      const auto row = static_cast<std::int64_t>(i / 2);
      EXPECT_FALSE(std::isfinite(v_product(run, 0, row, row)));
      EXPECT_FALSE(std::isfinite(image_of_v(c, run, 0, row)));
    }
  }
}

/// Rounding of the measure itself: far below one of double, where long double has more digits.
TEST(SvdMeasure, SeesAnErrorOfOneBitOfDouble) {
  const double most = 0x1p1023, bit = 0x1p970;
  SvdRun run = exact(most / 2);
  run.S[0] += bit * 2;
  EXPECT_EQ(residual_norm(scaled_exchange(most / 2), run, 0), bit * 2);
}

}  // namespace
}  // namespace assay::validation
