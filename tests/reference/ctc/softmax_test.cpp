#include "reference/ctc/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/number/big_float.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::infinity;

template <class Weight>
std::vector<Weight> softmax_of(const std::vector<double>& logits) {
  std::vector<Weight> y(logits.size());
  softmax<Weight, double>(logits, y);
  return y;
}

TEST(Softmax, SumsToOneWhateverTheShift) {
  const std::vector<double> logits{0.5, -1.25, 3, 0};
  std::vector<double> shifted = logits;
  for (double& a : shifted) a += 4096;
  const auto y = softmax_of<BigFloat>(logits), z = softmax_of<BigFloat>(shifted);
  BigFloat sum(0), expected(0);
  for (const double a : logits) expected += exp(BigFloat(a));
  for (std::size_t k = 0; k < y.size(); ++k) {
    sum += y[k];
    EXPECT_LT(abs(BigFloat(y[k] - exp(BigFloat(logits[k])) / expected)), BigFloat(1e-48));
    EXPECT_EQ(y[k], z[k]);
  }
  EXPECT_LT(abs(BigFloat(sum - 1)), BigFloat(1e-48));
}

TEST(Softmax, DoesNotOverflow) {
  const auto y = softmax_of<double>({1e308, 0, -1e308});
  EXPECT_EQ(y, (std::vector<double>{1, 0, 0}));
}

TEST(Softmax, TakesMinusInfinityForZero) {
  const auto y = softmax_of<double>({-infinity, 2, 2});
  EXPECT_EQ(y, (std::vector<double>{0, 0.5, 0.5}));
}

TEST(LogSoftmax, IsTheLogarithmOfTheSoftmax) {
  const std::vector<double> logits{-700, 3, 800.5, -infinity};
  std::vector<BigFloat> log_y(4);
  log_softmax<BigFloat, double>(logits, log_y);
  const auto y = softmax_of<BigFloat>(logits);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(abs(BigFloat(log_y[k] - log(y[k]))), BigFloat(1e-45)) << k;
  EXPECT_FALSE(NumberTraits<BigFloat>::is_finite(log_y[3]));
  EXPECT_LT(log_y[3], 0);
}

TEST(LogSoftmax, KeepsWhatSoftmaxUnderflows) {
  std::vector<double> log_y(2);
  log_softmax<double, double>(std::vector<double>{0, -2000}, log_y);
  EXPECT_EQ(log_y[1], -2000);
}

}  // namespace
}  // namespace assay::reference
