// What CTC's bounds ask of the softmax's sum: classes by their size, and exact differences. Held to a kernel that adds
// and rounds in the worst way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/validation/ctc/kernels.h"
#include "tests/validation/few_bits.h"
#include "validation/core/sums.h"
#include "validation/ctc/bounds.h"
#include "validation/ctc/faults/plain_kernel.h"
#include "validation/ctc/softmax.h"

namespace assay::validation {
namespace {

constexpr double u = 0x1p-24;

CtcKernelInfo claims(Arithmetic arithmetic, double unit_roundoff = u) {
  return {.name = "some", .arithmetic = arithmetic, .unit_roundoff = unit_roundoff};
}

/// One frame without labels.
CtcCase one_frame(const std::vector<float>& logits) {
  CtcCase c;
  c.T = c.B = 1;
  c.C = std::ssize(logits);
  c.activations = logits;
  c.input_lengths = {1};
  set_targets(c, {{}});
  return c;
}

/// 64 of 65,537 classes are alive.
TEST(CtcSums, CountTheClassesThatAreAlive) {
  std::vector<float> logits(65'537, -1e4F);
  for (std::size_t k = 0; k < 64; ++k) logits[k] = 0.01F * static_cast<float>(k);
  for (const auto arithmetic : {Arithmetic::probability, Arithmetic::log_space}) {
    const CtcKernelInfo info = claims(arithmetic);
    const CtcCase sparse = one_frame(logits);
    EXPECT_GT(CtcBounds(sparse, info).loss(0), 64 * u);
    EXPECT_LT(CtcBounds(sparse, info).loss(0), 300 * u);
    const CtcCase dense = one_frame(std::vector<float>(65'537, 1.0F));
    EXPECT_GT(CtcBounds(dense, info).loss(0), 65'537 * u);
  }
}

/// Differences of integers are exact whatever they have in common; 0.1 - 100 is not.
TEST(CtcSums, ChargeDifferencesThatAreRounded) {
  EXPECT_TRUE(softmax_sum(one_frame({1e8F, 1e8F - 80}), 0, 0, u).exact);
  EXPECT_TRUE(softmax_sum(one_frame({0.25F, -std::numeric_limits<float>::infinity(), 1e6F}), 0, 0, u).exact);
  EXPECT_FALSE(softmax_sum(one_frame({0.1F, 100}), 0, 0, u).exact);
  EXPECT_TRUE(softmax_sum(one_frame({0.1F, 100}), 0, 0, 0x1p-53).exact);
  for (const auto arithmetic : {Arithmetic::probability, Arithmetic::log_space}) {
    const CtcKernelInfo info = claims(arithmetic);
    const CtcCase exact = one_frame({0, 100}), rounded = one_frame({0.1F, 100.1F});
    EXPECT_NEAR(CtcBounds(rounded, info).loss(0) - CtcBounds(exact, info).loss(0), 100 * u, 2 * u);
  }
}

TEST(CtcSums, AreThoseOfTheSoftmax) {
  const auto found = softmax_sum(one_frame({0, std::log(2.0F), 0}), 0, 0, u);
  EXPECT_DOUBLE_EQ(found.terms, 3);
  EXPECT_NEAR(found.rescaling, 5 * 0.5, 1e-5);
  EXPECT_NEAR(found.logarithm, std::log(2.0), 1e-7);
  EXPECT_NEAR(found.distance, std::log(2.0) / 2, 1e-7);
}

/// With 33 classes of which one is alive, 7e-8 for each is more than rounding may cost, and less than 33 additions.
TEST(CtcSums, ShowWhatAnEpsilonForEachClassCosts) {
  std::vector<float> logits(33, -25.0F);
  logits[3] = 10;
  const CtcCase c = one_frame(logits);
  const CtcFault& fault = named(CtcOperation::faults(), "softmax-plus-epsilon");
  const double error = 7e-8 * 33, before = validation::gamma(33 + 10, u) + 5 * u;
  const double bound = CtcBounds(c, fault.kernel->info()).gradient(0, 0, 3);
  EXPECT_LT(error, before);
  EXPECT_GT(error, bound);
  EXPECT_EQ(judge(property_named("gradient"), {*fault.kernel}, c).verdict, Verdict::fail);
  EXPECT_EQ(judge(property_named("gradient"), {*plain_ctc_kernel()}, c).verdict, Verdict::pass);
}

/// Ten bits, and an online sum over the classes in ascending order, so that the maximum changes as often as it can.
class FewBitsCtcKernel final : public PlainCtcKernel {
 public:
  static constexpr FewBits few{};

 private:
  void read_log_y(Row& row) const override {
    PlainCtcKernel::read_log_y(row);
    for (std::int64_t t = 0; t < row.frames; ++t) {
      const auto frame = frame_of(row.problem, t, row.b);
      std::vector<double> ascending(frame.begin(), frame.end());
      std::ranges::sort(ascending);
      const double log_sum = few.round(std::log(few.online_sum(ascending)));
      for (std::size_t k = 0; k < frame.size(); ++k)
        row.log_y.row(t)[k] = few.round(few.round(double{frame[k]} - ascending.back()) - log_sum);
    }
  }
  double element(const Row& row, std::int64_t t, std::int64_t k, double posterior, double weight) const override {
    return few.round(weight * few.round(few.round(std::exp(row.log_y(t, k))) - posterior));
  }
};

/// Logits that are dense, sparse, sharp, ascending by little, or integers with an offset.
std::vector<float> some_logits(Random& random) {
  const auto kind = random.integer(0, 4);
  std::vector<float> logits;
  for (std::int64_t k = random.integer(2, 80); k > 0; --k) {
    double a = random.gaussian();
    if (kind == 1 && random.chance(0.9)) a -= random.real(6, 14);
    if (kind == 2) a *= 30;
    if (kind == 3) a = 0.01 * static_cast<double>(k);
    if (kind == 4) a = 500 + static_cast<double>(random.integer(-9, 9));
    logits.push_back(static_cast<float>(a));
  }
  return logits;
}

/// The largest errors of losses and of gradients as shares of the bounds of a kernel of the given roundoff.
std::pair<double, double> worst_shares(double unit_roundoff) {
  const FewBitsCtcKernel kernel;
  const CtcKernelInfo info = claims(Arithmetic::log_space, unit_roundoff);
  double loss = 0, gradient = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const CtcCase c = one_frame(some_logits(random));
    const CtcRun run = run_valid(kernel, c);
    const CtcBounds bounds(c, info);
    const auto y = softmax(c, 0, 0);
    loss = std::max(loss, std::abs(run.loss[0] + static_cast<double>(std::log(y[0]))) / bounds.loss(0));
    for (std::size_t k = 0; k < y.size(); ++k) {
      const double posterior = k == 0 ? 1 : 0, due = static_cast<double>(y[k]) - posterior;
      const double bound = bounds.gradient(0, 0, static_cast<std::int64_t>(k));
      gradient = std::max(gradient, std::abs(run.gradient[k] - due) / bound);
    }
  }
  return {loss, gradient};
}

TEST(CtcSums, OfFewBitsStayWithinTheBounds) {
  const auto [loss, gradient] = worst_shares(FewBitsCtcKernel::few.unit_roundoff());
  EXPECT_LE(loss, 1);
  EXPECT_LE(gradient, 1);
  EXPECT_GT(loss, 0.1) << "or the bound would be slack";
  EXPECT_GT(gradient, 0.1);
}

TEST(CtcSums, OfFewBitsExceedTheBoundsOfMore) {
  const auto [loss, gradient] = worst_shares(0x1p-14);
  EXPECT_GT(loss, 1);
  EXPECT_GT(gradient, 1);
}

}  // namespace
}  // namespace assay::validation
