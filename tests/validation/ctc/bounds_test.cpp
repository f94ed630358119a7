// Bounds, held to the formulas of docs/bounds.md worked out by hand, and to kernels of few bits.
#include "validation/ctc/bounds.h"
#include "validation/ctc/operation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/validation/ctc/float_kernels.h"
#include "tests/validation/ctc/kernels.h"
#include "tests/validation/named.h"
#include "validation/core/report.h"

namespace assay::validation {
namespace {

constexpr double u = 0x1p-10;
constexpr double slight = u / 20;  // by which the bounds of exp(x) - 1 and ln(1 + x) are off
constexpr double v = 0x1p-8;
constexpr double smallest = 0x1p-150;

CtcKernelInfo claims(Arithmetic arithmetic, double inside = u, double output = v) {
  return {.name = "some", .arithmetic = arithmetic, .unit_roundoff = inside, .output_unit_roundoff = output};
}

double gamma(double n) {
  return n * u / (1 - n * u);
}

double stored(double size, double error) {
  return error + v * (size + error) + smallest;
}

/// The error of a posterior of three_of_four_paths(), from logits, in probabilities. An emission is off by eta =
/// gamma(C + 10). Both frames and the sum of two states count twice, since the frame's own sum may be the p to divide
/// by.
double rho(double eta = gamma(12)) {
  const double step = eta + gamma(4);
  return std::expm1(2 * (2 * step + gamma(4) + gamma(2 + 2)));
}

/// T = 2, C = 2, S = 1, so that L = 3 and, for equal logits, eta = gamma(C + 10).
TEST(CtcBounds, AreThoseOfHandInProbabilities) {
  const CtcCase c = three_of_four_paths();
  const CtcKernelInfo info = claims(Arithmetic::probability);
  const CtcBounds bounds(c, info);
  const double loss = std::log(4.0 / 3), step = gamma(12) + gamma(4);
  EXPECT_NEAR(bounds.rough_loss(0), loss, 1e-15);
  EXPECT_NEAR(bounds.loss(0), stored(loss, 2 * step + gamma(4) + u * loss), slight);
  for (const std::int64_t t : {0, 1})
    EXPECT_NEAR(bounds.gradient(t, 0, 1), stored(1.0 / 6, gamma(12) * 0.5 + rho() * 2 / 3 + 4 * u / 6), slight);
}

/// The walk of T equal steps is lambda sqrt(T) of them, and no longer than all of them: it is so where T > lambda^2.
TEST(CtcBounds, OfRandomRoundingGrowLikeTheRootOfTheFrames) {
  CtcKernelInfo info = claims(Arithmetic::log_space, 0x1p-24);
  info.output_unit_roundoff = 0x1p-24;
  const CtcCase few = CtcOperation::sized_case(40, 5, 10, 1, 1), many = CtcOperation::sized_case(2000, 5, 10, 1, 1);
  const CtcBounds worst_of_few(few, info), few_walk(few, info, {.rounding = Rounding::random});
  EXPECT_EQ(few_walk.loss(0), worst_of_few.loss(0));
  EXPECT_EQ(few_walk.gradient(3, 0, 1), worst_of_few.gradient(3, 0, 1));
  const CtcBounds worst(many, info), walk(many, info, {.rounding = Rounding::random});
  const double lambda = std::sqrt(2 * std::log(2e10 * (2 * 2000 * 21 + 1)));
  EXPECT_GT(walk.loss(0), lambda / std::sqrt(2000) * worst.loss(0) * 0.9);
  EXPECT_LT(walk.loss(0), lambda / std::sqrt(2000) * worst.loss(0) * 2)
      << "a step is the largest of its frame's states";
  EXPECT_LT(walk.gradient(1000, 0, 0), worst.gradient(1000, 0, 0) / 2);
}

TEST(CtcBounds, OfTwoStepsLetTheFramesErrorsIntoEachClass) {
  const CtcCase c = three_of_four_paths();
  CtcKernelInfo info = claims(Arithmetic::probability);
  info.two_step = true;
  EXPECT_NEAR(CtcBounds(c, info).gradient(0, 0, 1),
              stored(1.0 / 6, (gamma(12) + rho() + gamma(4)) * 0.5 + rho() * 2 / 3 + 4 * u / 6), slight);
}

/// From log_probs the sum over the classes falls away; with respect to them, so does y.
TEST(CtcBounds, AreThoseOfHandForLogProbabilities) {
  CtcCase c = to_log_probs(three_of_four_paths());
  c.variable = CtcVariable::log_probs;
  const CtcKernelInfo info = claims(Arithmetic::probability);
  const CtcBounds bounds(c, info);
  const double loss = std::log(4.0 / 3), error = 2 * (gamma(8) + gamma(4)) + gamma(4);
  EXPECT_NEAR(bounds.loss(0), stored(loss, error + u * loss), slight);
  EXPECT_NEAR(bounds.gradient(0, 0, 1), stored(2.0 / 3, rho(gamma(8)) * 2 / 3 + 4 * u * 2 / 3), slight);
  const CtcBounds rounded(c, info, {.input_roundoff = 3 * u});
  EXPECT_NEAR(rounded.loss(0), stored(loss, error + 2 * 3 * u * std::log(2.0) + u * loss), slight);
}

/// alpha = (1/2, 1/2) in the first frame and (1/2, 1/4) in the second, of one sum of two terms and one of one; beta is
/// the same backwards. The posteriors are 1/3 and 2/3. The largest sum of the first frame is 1: a kernel that subtracts
/// its logarithm rounds the same numbers.
TEST(CtcBounds, AreThoseOfHandInLogSpace) {
  const CtcCase c = three_of_four_paths();
  const CtcKernelInfo info = claims(Arithmetic::log_space);
  const CtcBounds bounds(c, info);
  const double ln2 = std::log(2.0), loss = std::log(4.0 / 3);
  const double eta = gamma(2 + ln2 + 2 * ln2 + 2 * ln2 + 10);
  const double edge = eta + u * 2 * ln2 + gamma(12);
  const double of_two = u * (2 * ln2 + 3 * edge) + gamma(12), of_one = u * (5 * ln2 + 3 * edge) + gamma(12);
  const double p = (2 * std::exp(edge + eta + of_two) + std::exp(edge + eta + of_one)) / 3;
  EXPECT_NEAR(bounds.loss(0), stored(loss, std::log(p) + gamma(8) + 3 * u * loss), slight);
  const auto factor = [&](double beta, double posterior, double log_beta) {
    const double factors = edge + edge + beta;
    const double sizes = ln2 + log_beta + ln2 + loss + 4 * std::abs(std::log(posterior)) + 3 * factors;
    return std::exp(factors + u * sizes + gamma(2 + 8));
  };
  const double blank = factor(of_one, 1.0 / 3, 2 * ln2) / 3, label = factor(of_two, 2.0 / 3, ln2) * 2 / 3;
  const double rho = label * std::max(p, (blank + label) * std::exp(2 * u * loss)) - 2.0 / 3;
  EXPECT_NEAR(bounds.gradient(0, 0, 1), stored(1.0 / 6, eta * 0.5 + rho + 4 * u / 6), slight);
}

/// A state that is far from the path has large logarithms, and a small share: only those on the path count.
TEST(CtcBounds, OfACertainPathAreSmallInLogSpace) {
  const CtcCase c = certain_path(523, 520, 64);
  CtcKernelInfo info = claims(Arithmetic::log_space, 0x1p-24, 0x1p-24);
  const CtcBounds bounds(c, info);
  EXPECT_GT(bounds.loss(0), 523 * 20 * 0x1p-24) << "x - lse may be rounded at the size of lse";
  for (std::int64_t t = 0; t < c.T; ++t)
    for (std::int64_t k = 0; k < c.C; ++k) EXPECT_LT(bounds.gradient(t, 0, k), 1e-2);
}

TEST(CtcBounds, CarryTheWeightsOfARow) {
  CtcCase c = select_rows(three_of_four_paths(), {0, 0});
  const CtcKernelInfo info = claims(Arithmetic::probability);
  const double once = CtcBounds(c, info).gradient(0, 0, 1);
  c.upstream = {-3, 0};
  EXPECT_DOUBLE_EQ(CtcBounds(c, info).gradient(0, 0, 1), 3 * once);
  EXPECT_DOUBLE_EQ(CtcBounds(c, info).gradient(0, 1, 1), 2 * smallest) << "what is weighed with 0 is 0";
  c.reduction = Reduction::mean;
  c.upstream = {4};
  EXPECT_DOUBLE_EQ(CtcBounds(c, info).gradient(1, 1, 1), 4 * once / 2);
}

/// Two rows of the loss ln 4/3 and one label each; adding B equal losses costs gamma(B + 3) of their sum.
TEST(CtcBounds, AddUpOverAReduction) {
  CtcCase c = select_rows(three_of_four_paths(), {0, 0});
  const CtcKernelInfo info = claims(Arithmetic::probability);
  const double loss = std::log(4.0 / 3);
  const double error = 2 * (gamma(12) + gamma(4)) + gamma(4) + u * loss;
  c.reduction = Reduction::sum;
  EXPECT_NEAR(CtcBounds(c, info).loss(0), stored(2 * loss, 2 * error + gamma(5) * 2 * loss), slight);
  c.reduction = Reduction::mean;
  EXPECT_NEAR(CtcBounds(c, info).loss(0), stored(loss, error + gamma(5) * loss), slight);
}

TEST(CtcBounds, GrowWithTheUnitRoundoff) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const CtcCase c = CtcOperation::generate(random, 40, {});
    for (const auto arithmetic : {Arithmetic::probability, Arithmetic::log_space}) {
      const CtcKernelInfo narrow = claims(arithmetic, 0x1p-53, 0x1p-24);
      const CtcKernelInfo wider = claims(arithmetic, 0x1p-24, 0x1p-24);
      const CtcKernelInfo coarse = claims(arithmetic, 0x1p-24, 0x1p-11);
      const CtcBounds a(c, narrow), b(c, wider), d(c, coarse);
      for (std::size_t i = 0; i < (c.reduction == Reduction::none ? static_cast<std::size_t>(c.B) : 1); ++i) {
        EXPECT_LT(a.loss(i), b.loss(i));
        EXPECT_LE(b.loss(i), d.loss(i));
      }
      for (std::int64_t row = 0; row < c.B; ++row) {
        for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(row)]; ++t) {
          if (c.row_weight(row) == 0) continue;
          for (std::int64_t k = 0; k < c.C; ++k) {
            EXPECT_LE(a.gradient(t, row, k), b.gradient(t, row, k));
            EXPECT_LE(b.gradient(t, row, k), d.gradient(t, row, k));
          }
        }
      }
    }
  }
}

TEST(CtcBounds, KnowWhichRowsCanBeAligned) {
  for (const auto arithmetic : {Arithmetic::probability, Arithmetic::log_space}) {
    CtcCase c = select_rows(three_of_four_paths(), {0, 0});
    set_targets(c, {{1}, {1, 1}});
    const CtcKernelInfo info = claims(arithmetic);
    const CtcBounds bounds(c, info);
    EXPECT_TRUE(bounds.possible(0));
    EXPECT_FALSE(bounds.possible(1));
    EXPECT_EQ(bounds.rough_loss(1), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isfinite(bounds.loss(1)));
    c.reduction = Reduction::sum;
    EXPECT_TRUE(std::isfinite(CtcBounds(c, info).loss(0)));
  }
}

/// Where n u reaches 1 nothing is claimed, which is infinite and not negative.
TEST(CtcBounds, AreInfiniteWhereAKernelClaimsNothing) {
  const CtcCase c = three_of_four_paths();
  for (const auto arithmetic : {Arithmetic::probability, Arithmetic::log_space}) {
    const CtcKernelInfo info = claims(arithmetic, 0.25);
    EXPECT_EQ(CtcBounds(c, info).loss(0), std::numeric_limits<double>::infinity());
    EXPECT_EQ(CtcBounds(c, info).gradient(0, 0, 0), std::numeric_limits<double>::infinity());
  }
}

/// A kernel without state is its own fresh one.
PropertyReport report_on(const CtcKernel& kernel, const std::string& name) {
  Coverage coverage(class_names<CtcOperation>());
  const GateOptions options{.cases = 150, .shrink_budget = 0, .given = {}};
  const auto same = [&](const std::string&) {
    return std::shared_ptr<const CtcKernel>(std::shared_ptr<void>(), &kernel);
  };
  return run_property(property_named(name), {.kernel = kernel, .fresh_kernel = same}, options, coverage);
}

TEST(CtcBounds, LetAnHonestFloat32KernelPassAndABoastfulOneFail) {
  const FloatKernel honest(0x1p-24);
  const FloatKernel boastful(0x1p-53);
  for (const auto& property : CtcOperation::properties()) {
    if (property.is_far || needs_python(property.name)) continue;
    const auto report = report_on(honest, property.name);
    EXPECT_EQ(report.verdict, Verdict::pass) << failure_text(report);
  }
  for (const std::string property : {"loss", "gradient", "frame-sums"}) {
    EXPECT_EQ(report_on(boastful, property).verdict, Verdict::fail) << property;
  }
}

TEST(CtcBounds, LetResultsBeFlushedWhereThatIsDeclaredAndNoMore) {
  const auto flush = [](float) { return 0.0F; };
  const auto move = [](float x) { return x + 0x1p-125F; };
  EXPECT_EQ(report_on(LosingKernel(true, flush), "gradient").verdict, Verdict::pass);
  EXPECT_EQ(report_on(LosingKernel(false, flush), "gradient").verdict, Verdict::fail);
  EXPECT_EQ(report_on(LosingKernel(true, move), "gradient").verdict, Verdict::fail);
}

/// A class of probability 0 in a frame of a row without labels, which has L + 3 = 4 numbers that may be flushed, before
/// and after the weight.
TEST(CtcBounds, AllowFlushesInsideOfFloat32) {
  CtcCase c = three_of_four_paths();
  CtcKernelInfo info = claims(Arithmetic::probability, 0x1p-24, 0x1p-24);
  c.activations = {0, -2e4F, 0, -2e4F};
  set_targets(c, {{}});
  EXPECT_EQ(CtcBounds(c, info).gradient(0, 0, 1), 6 * smallest);
  info.flushes_subnormals = true;
  EXPECT_EQ(CtcBounds(c, info).gradient(0, 0, 1), 9 * 0x1p-126);
  c.dtype = Dtype::float16;
  EXPECT_EQ(CtcBounds(c, info).gradient(0, 0, 1), 0x1p-25 + 8 * 0x1p-126) << "halves are not flushed";
}

TEST(CtcBounds, LetHalfResultsPassAsSuchAndNotAsFloat32) {
  const HalfResultsKernel honest(0x1p-11);
  const HalfResultsKernel boastful(0x1p-24);
  for (const auto& property : CtcOperation::properties()) {
    if (property.is_far || needs_python(property.name)) continue;
    const auto report = report_on(honest, property.name);
    EXPECT_EQ(report.verdict, Verdict::pass) << failure_text(report);
  }
  for (const std::string property : {"loss", "gradient", "frame-sums"}) {
    EXPECT_EQ(report_on(boastful, property).verdict, Verdict::fail) << property;
  }
}

}  // namespace
}  // namespace assay::validation
