// Bounds: those of a hand, and those that an honest float32 kernel keeps and a boastful one does not.
#include "validation/cce/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "metal/emulator/dispatch/subnormal_flush.h"
#include "tests/limits.h"
#include "tests/validation/cce/float_kernel.h"
#include "tests/validation/cce/kernels.h"
#include "validation/cce/operation.h"
#include "validation/core/report.h"

namespace assay::validation {
namespace {

using tests::infinity;
constexpr double u = 0x1p-24;
constexpr float x = 1000.1F;

CceKernelInfo claims(double unit_roundoff = u) {
  CceKernelInfo info;
  info.name = "some";
  info.unit_roundoff = unit_roundoff;
  return info;
}

double gamma(double n) {
  return n * u / (1 - n * u);
}

/// One token, two entries, no bias: logits 0 and 0, which are exact and equal, p = 1/2, ln Z = ln 2. With k = 4:
///   M = 0,  de = 6 u,  dS = de,  pi = de + dS + 6 ln 2 u         up to terms of u^2
TEST(CceBounds, AreThoseOfAHand) {
  CceCase c = two_entries();
  c.bias.clear();
  const CceKernelInfo info = claims();
  const CceBounds bounds(c, info);
  const double ln2 = std::log(2.0);
  const double own = u * (5 * (ln2 + 1) + 5 + 2 * ln2);
  EXPECT_NEAR(bounds.loss(0), own + u * ln2, 1e-6 * own);
  const double pi = (6 + 6 + 6 * ln2) * u;
  const auto of_z = [&](double terms) { return 0.5 * pi + 4 * u * terms + 3 * u * terms; };
  const double due = 3 * (of_z(0.5) + gamma(7) * 0.5) + (of_z(1.5) + gamma(7) * 1.5);
  EXPECT_NEAR(bounds.dhidden(0, 1), due + u * (1 + due), 1e-5 * due);
  EXPECT_NEAR(bounds.dhidden(1, 0), 0x1p-149, 0) << "the weights are 0 there";
  const double weight_due = 2 * (of_z(1.5) + gamma(6) * 1.5);
  EXPECT_NEAR(bounds.dweight(3, -1), weight_due + u * (1 + weight_due), 1e-5 * weight_due);
  EXPECT_EQ(bounds.dweight(2, 0), 0x1p-149);
}

/// Products of 1e6 that cancel and are no floats: each logit may be off by e = gamma(4) 2e6, half a unit, so that the
/// loss, of slopes 1/2 and -1/2, may be off by e and the second order, and a probability by the factor exp(2 e).
TEST(CceBounds, FollowTheErrorsOfLogitsThatCancel) {
  CceCase c = two_entries();
  c.bias.clear();
  c.hidden = {x, x};
  c.weight = {1000, -1000, -1000, 1000};
  const CceKernelInfo info = claims();
  const CceBounds bounds(c, info);
  const double e = gamma(4) * 2000 * double{x};
  EXPECT_NEAR(bounds.loss(0), std::expm1(e), 1e-5);
  EXPECT_NEAR(bounds.dweight(0, 0), double{x} * 0.5 * std::expm1(2 * e), 0.01);
  c.bias = {0, -infinity};
  c.targets = {0};
  EXPECT_NEAR(CceBounds(c, info).loss(0), std::expm1(e) - e, 1e-5) << "certain: no slope, and the second order alone";
}

/// The slope of a cap is largest where the logit may be least; far out on it, errors of the logit hardly count.
TEST(CceBounds, BendWithTheCap) {
  CceCase c = two_entries();
  c.bias.clear();
  c.hidden = {x, x};
  c.weight = {1000, -1000, -1000, 1000};
  c.logit_softcap = 1;
  const CceKernelInfo info = claims();
  const double e = gamma(4) * 2000 * double{x};
  const CceBounds middle(c, info);
  EXPECT_NEAR(middle.loss(0), std::expm1(e), 1e-5) << "slope 1 at 0";
  c.weight = {1000, -990, 1000, -990};  // logits of 1e4
  const CceBounds far(c, info);
  EXPECT_LT(far.loss(0), 64 * u);
  EXPECT_LT(far.dbias(0, 0), 1) << "of a slope that is within 0.77 e, and 0";
}

/// Rounding alone costs u/2 here and there; what is allowed is not far more than that.
TEST(CceBounds, AreAFewRoundingsForAPlainCase) {
  const CceCase c = three_tokens();
  const CceKernelInfo info = claims();
  const CceBounds bounds(c, info);
  for (const std::size_t n : {0U, 2U}) {
    EXPECT_GT(bounds.loss(n), 4 * u) << n;
    EXPECT_LT(bounds.loss(n), 128 * u) << n;
  }
  EXPECT_EQ(bounds.loss(1), 0x1p-149) << "of an ignored token";
  EXPECT_EQ(bounds.dhidden(2, 0), 0x1p-149);
  for (std::size_t v = 0; v < 4; ++v) {
    EXPECT_GT(bounds.dbias(v, 0.5), 2 * u) << v;
    EXPECT_LT(bounds.dbias(v, 0.5), 256 * u) << v;
  }
  for (std::size_t i = 0; i < 8; ++i) EXPECT_LT(bounds.dweight(i, 0.5), 256 * u) << i;
}

TEST(CceBounds, OfDoublesAreThoseOfStoring) {
  const CceCase c = three_tokens();
  const CceKernelInfo narrow = claims(), wide = claims(0x1p-53);
  const CceBounds as_float(c, narrow), as_double(c, wide);
  const double loss = double{static_cast<float>(1.0)};
  EXPECT_LT(as_double.loss(0), as_float.loss(0) / 5);
  for (std::size_t i = 0; i < c.weight.size(); ++i) {
    EXPECT_LT(as_double.dweight(i, loss), 1.001 * u) << "one rounding";
    EXPECT_LT(as_double.dweight(i, 0), 1e-6 * as_float.dweight(i, 0)) << i;
  }
}

TEST(CceBounds, AllowOneRoundingToTheStoredType) {
  CceCase c = three_tokens();
  const CceKernelInfo wide = claims(0x1p-53);
  for (const auto& [dtype, unit] :
       {std::pair{Dtype::float32, 0x1p-24}, {Dtype::float16, 0x1p-11}, {Dtype::bfloat16, 0x1p-8}}) {
    c.dtype = dtype;
    const CceBounds bounds(c, wide);
    EXPECT_NEAR(bounds.dbias(0, 4), 4 * unit, 1e-3 * unit);
    EXPECT_NEAR(bounds.dbias(0, -4), 4 * unit, 1e-3 * unit);
    EXPECT_LT(bounds.loss(0), 4 * u) << "losses are float32 whatever the type";
  }
}

TEST(CceBounds, OfAnInfiniteGradientAreFinite) {
  CceCase c = three_tokens();
  const CceKernelInfo info = claims();
  const CceBounds bounds(c, info);
  EXPECT_LT(bounds.dweight(0, infinity), 1e32) << "or an infinity would be within the bound of anything";
  EXPECT_FALSE(bounds.dweight(0, std::numeric_limits<double>::quiet_NaN()) >= 0) << "of a NaN nothing may pass";
  c.dtype = Dtype::float16;
  EXPECT_LT(CceBounds(c, info).dhidden(0, infinity), 40);
}

TEST(CceBounds, CarryTheWeightOfAToken) {
  CceCase c = three_tokens();
  const CceKernelInfo info = claims();
  const double once = CceBounds(c, info).dhidden(0, 0);
  c.upstream = {-3, 1, 0};
  EXPECT_NEAR(CceBounds(c, info).dhidden(0, 0), 3 * once, 1e-9 * once);
  EXPECT_EQ(CceBounds(c, info).dhidden(4, 0), 0x1p-149) << "what is weighed with 0 is 0";
  c.upstream = {4};
  c.reduction = Reduction::mean;
  EXPECT_NEAR(CceBounds(c, info).dhidden(0, 0), 2 * once, 1e-9 * once);
}

TEST(CceBounds, AddUpOverAReduction) {
  CceCase c = three_tokens();
  const CceKernelInfo info = claims();
  const CceBounds each(c, info);
  c.reduction = Reduction::sum;
  const double sum = CceBounds(c, info).loss(0);
  EXPECT_GT(sum, each.loss(0) + each.loss(2));
  EXPECT_LT(sum, 3 * (each.loss(0) + each.loss(2)));
  c.reduction = Reduction::mean;
  EXPECT_NEAR(CceBounds(c, info).loss(0), sum / 2, 1e-3 * sum);
}

/// lse = -1 and zeta = 1/2 make f = 1 + 2 zeta lse vanish, and the softmax with it from p_t f - 1; minus the others
/// less p_t, of which each has the error of its probability, is the same number and as right.
TEST(CceBounds, AllowForTheOtherWordsInPlaceOfTheTarget) {
  CceCase c = two_entries();
  const auto bias = static_cast<float>(-1 - std::log(2.0));
  c.bias = {bias, bias};
  c.z_loss = 0.5;
  const CceKernelInfo info = claims();
  const double pi = (6 + 8 + 6 * std::log(2.0)) * u;
  EXPECT_GT(CceBounds(c, info).dbias(1, 0), (0.5 + 0.5) * pi + 7 * u);
}

/// A longer chain of additions, wider rounding, and rounded operands each allow more, of every element.
TEST(CceBounds, GrowWithWhatAKernelAdmits) {
  CceKernelInfo blocks = claims(), lines = claims(), coarse = claims(0x1p-20), operands = claims();
  blocks.longest_chain = 16;
  lines.longest_chain = 64;
  operands.bfloat16_roundings = 2;
  int shorter = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const CceCase c = generated_cce(seed);
    if (c.N == 0 || c.valid_tokens() == 0) continue;
    const CceKernelInfo chain = claims();
    const CceBounds a(c, blocks), b(c, lines), d(c, chain), e(c, coarse), f(c, operands);
    for (std::size_t i = 0; i < (c.reduction == Reduction::none ? c.targets.size() : 1); ++i) {
      EXPECT_LE(a.loss(i), b.loss(i));
      EXPECT_LE(b.loss(i), d.loss(i));
      EXPECT_LE(d.loss(i), e.loss(i));
    }
    double total_b = 0, total_d = 0;
    for (std::size_t i = 0; i < c.weight.size(); ++i) {
      EXPECT_LE(a.dweight(i, 0), b.dweight(i, 0));
      EXPECT_LE(b.dweight(i, 0), d.dweight(i, 0));
      EXPECT_LE(d.dweight(i, 0), e.dweight(i, 0));
      EXPECT_LE(d.dweight(i, 0), f.dweight(i, 0));
      total_b += b.dweight(i, 0);
      total_d += d.dweight(i, 0);
    }
    shorter += c.V > 200 && total_b < total_d ? 1 : 0;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(shorter, 10);
}

void expect_numbers(const CceCase& c, const CceKernelInfo& info) {
  const CceBounds bounds(c, info);
  for (std::size_t i = 0; i < (c.reduction == Reduction::none ? c.targets.size() : 1); ++i) {
    EXPECT_TRUE(std::isfinite(bounds.loss(i))) << i;
    EXPECT_GE(bounds.loss(i), 0) << i;
  }
  for (std::size_t i = 0; i < c.hidden.size(); ++i) EXPECT_TRUE(std::isfinite(bounds.dhidden(i, 1))) << i;
  for (std::size_t i = 0; i < c.weight.size(); ++i) EXPECT_TRUE(std::isfinite(bounds.dweight(i, 1))) << i;
  for (std::size_t i = 0; i < c.bias.size(); ++i) EXPECT_TRUE(std::isfinite(bounds.dbias(i, 1))) << i;
}

/// -inf biases, targets among them, caps over them, one entry, one column, none that counts: numbers all the same.
TEST(CceBounds, AreNumbersForEveryGeneratedCase) {
  const CceKernelInfo info = claims();
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const CceCase c = generated_cce(seed, {.bias = 0.8, .minus_infinity = 0.6});
    expect_numbers(c, info);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  expect_numbers(select_tokens(three_tokens(), {}), info);
  expect_numbers(select_entries(keep_columns(select_tokens(three_tokens(), {2}), 1), {2}), info);
}

TEST(CceBounds, AreInfiniteWhereAKernelClaimsNothing) {
  const CceCase c = three_tokens();
  const CceKernelInfo info = claims(0.25);
  EXPECT_EQ(CceBounds(c, info).dweight(0, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(CceBounds(c, info).loss(0), std::numeric_limits<double>::infinity());
}

class CceFloat : public testing::TestWithParam<std::string> {};

TEST_P(CceFloat, KernelThatIsHonestStaysWithin) {
  const FloatCceKernel honest(claims());
  const auto report = cce_report(honest, GetParam(), 250);
  EXPECT_EQ(report.verdict, Verdict::pass) << failure_text(report);
  EXPECT_GT(report.worst.share, 0.05) << "or the bound would be slack";
}

/// On a processor that takes subnormal numbers for 0.
class FlushingCceKernel final : public FloatCceKernel {
 public:
  using FloatCceKernel::FloatCceKernel;

  void run(const metal::AnyCceProblem& problem, const metal::AnyCceOutput& out, const CceRequest& r) const override {
    const metal::emulator::SubnormalFlush flush(true);
    FloatCceKernel::run(problem, out, r);
  }
};

TEST(CceFlushing, StaysWithinTheBoundsThatDeclareIt) {
  CceKernelInfo info = claims();
  info.flushes_subnormals = true;
  for (const char* property : {"loss", "dhidden", "dweight"}) {
    const auto report = cce_report(FlushingCceKernel(info), property, 250);
    EXPECT_EQ(report.verdict, Verdict::pass) << failure_text(report);
  }
}

/// dL/dz is -1/2, so that an element of dweight is -1/2 of the hidden state.
TEST(CceFlushing, IsAllowedTheElementsThatItTakesForZero) {
  CceCase c = two_entries();
  c.bias.clear();
  CceKernelInfo info = claims();
  info.flushes_subnormals = true;
  EXPECT_EQ(CceBounds(c, info).dweight(2, 0), 0x1p-126);
  c.hidden = {0x1p-127F, 2};
  const CceKernelInfo keeps = claims();
  EXPECT_GT(CceBounds(c, info).dweight(2, 0), 0x1p-128) << "the element, if the hidden state counts as 0";
  EXPECT_LT(CceBounds(c, info).dweight(2, 0), 5 * 0x1p-126);
  EXPECT_LT(CceBounds(c, keeps).dweight(2, 0), 0x1p-128);
}

TEST_P(CceFloat, KernelThatBoastsDoesNot) {
  const FloatCceKernel boastful(claims(0x1p-53));
  EXPECT_EQ(cce_report(boastful, GetParam(), 250).verdict, Verdict::fail);
}

INSTANTIATE_TEST_SUITE_P(AgainstTheReference, CceFloat,
                         testing::Values("loss", "dhidden", "dweight", "dbias", "softcap"));

}  // namespace
}  // namespace assay::validation
