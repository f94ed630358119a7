// What the bounds of linear cross-entropy ask of sums: terms by their size, exact logits without a common offset. Held
// to kernels that add and round in the worst way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tests/validation/cce/float_kernel.h"
#include "tests/validation/cce/kernels.h"
#include "tests/validation/few_bits.h"
#include "validation/cce/bounds.h"
#include "validation/cce/faults/plain_kernel.h"

namespace assay::validation {
namespace {

constexpr double u = 0x1p-24;

CceKernelInfo claims() {
  CceKernelInfo info;
  info.name = "some";
  info.unit_roundoff = u;
  return info;
}

/// Logits of 1e8 are exact in float32; what they have in common costs nothing.
TEST(CceSumsOf, OfExactLogitsKnowNoCommonOffset) {
  CceCase c = two_entries();
  c.weight = {0, 5e7F, 0, 5e7F};
  c.hidden = {0, 2};
  const CceKernelInfo info = claims();
  const CceBounds far(c, info);
  c.weight = {0, 0, 0, 0};
  const CceBounds near(c, info);
  EXPECT_NEAR(far.loss(0), near.loss(0), 1e-12);
  EXPECT_NEAR(far.dbias(0, 0.5), near.dbias(0, 0.5), 1e-12);
  EXPECT_LT(far.loss(0), 20 * u);
  c.weight = {0.1F, 5e7F, 0.1F, 5e7F};  // 0.2 + 1e8 is no float
  c.hidden = {2, 2};
  EXPECT_GT(CceBounds(c, info).loss(0), 1) << "rounding the logits costs more than the loss is worth";
  c.weight = {0, 5e7F, 0, 5e7F};
  c.label_smoothing = 0.1;
  EXPECT_GT(CceBounds(c, info).loss(0), 1) << "the mean of the logits may be rounded";
}

/// 64 of 65,537 entries are alive.
TEST(CceSumsOf, CountTheEntriesThatAreAlive) {
  CceCase c;
  c.N = c.H = 1;
  c.V = 65'537;
  c.hidden = {1};
  c.weight.assign(65'537, -1e4F);
  for (std::size_t v = 0; v < 64; ++v) c.weight[v] = 0.25F * static_cast<float>(v % 4);
  c.targets = {1};
  const CceKernelInfo info = claims();
  const double sparse = CceBounds(c, info).loss(0);
  EXPECT_GT(sparse, 64 * u);
  EXPECT_LT(sparse, 400 * u);
  for (float& w : c.weight) w = std::max(w, 0.0F);
  EXPECT_GT(CceBounds(c, info).loss(0), 65'537 * u);
}

/// Among 131,073 equal logits, one term more or less changes the loss by more than its bound.
TEST(CceSumsOf, EqualLogitsAreExact) {
  CceCase c;
  c.N = c.H = 1;
  c.V = 131'073;
  c.hidden = {0};
  c.weight.assign(131'073, 1.3F);
  c.targets = {1};
  EXPECT_LT(CceBounds(c, claims()).loss(0), 1.0 / 131'073);
  c.hidden = {2};
  c.weight.assign(131'073, 0.25F);
  EXPECT_LT(CceBounds(c, claims()).loss(0), 1.0 / 131'073) << "what logits have in common is subtracted";
  c.weight[7] = 0.125F;
  EXPECT_GT(CceBounds(c, claims()).loss(0), 65'537 * u) << "exponentials below 1 are rounded when they are added";
  c.weight[7] = 0.25F;
  CceKernelInfo rounds = claims();
  rounds.rounded_lse = true;
  EXPECT_GT(CceBounds(c, rounds).loss(0), 65'537 * u) << "which merges partial sums by their logarithms";
}

/// A kernel may add exponentials and losses more accurately than it computes them.
TEST(CceSumsOf, TheLossMayHaveARoundoffOfTheirOwn) {
  CceCase c;
  c.N = 4096;
  c.H = 1;
  c.V = 2;
  c.hidden.assign(4096, 1.1F);
  c.weight = {0.3F, 0.7F};
  c.targets.assign(4096, 0);
  c.reduction = Reduction::sum;
  CceKernelInfo in_double = claims();
  in_double.sum_roundoff = 0x1p-53;
  EXPECT_GT(CceBounds(c, claims()).loss(0), 0.5 * 4096 * 4096 * u);
  EXPECT_LT(CceBounds(c, in_double).loss(0), 100 * 4096 * u);
  EXPECT_GT(CceBounds(c, in_double).dbias(0, 0), 0.4 * 4096 * 4096 * u) << "gradients are other sums";
}

/// Factors of 0 add nothing.
TEST(CceSumsOf, CountTheTermsThatAreNotZero) {
  CceCase c = three_tokens();
  const CceKernelInfo info = claims();
  const double before = CceBounds(c, info).dweight(0, 0), bias_before = CceBounds(c, info).dbias(0, 0);
  c.upstream = {1, 1, 0};
  EXPECT_LT(CceBounds(c, info).dbias(0, 0), bias_before);
  EXPECT_LT(CceBounds(c, info).dweight(0, 0), before);
}

/// Factors that are no integers: no logit is exact.
void roughen(CceCase& c) {
  for (std::size_t i = 0; i < c.hidden.size(); ++i)
    if (std::isfinite(c.hidden[i])) c.hidden[i] = std::sin(static_cast<float>(i) + 1);
  for (std::size_t i = 0; i < c.weight.size(); ++i) c.weight[i] = std::cos(static_cast<float>(i) + 1);
}

/// Integers, and the offset 2^20 in each bias.
void shift_exactly(CceCase& c) {
  for (float& x : c.hidden)
    if (std::isfinite(x)) x = std::round(std::clamp(x, -4.0F, 4.0F));
  for (float& w : c.weight) w = std::round(std::clamp(w, -4.0F, 4.0F));
  for (std::size_t v = 0; v < c.bias.size(); ++v) c.bias[v] = 0x1p20F + static_cast<float>(v % 3);
  c.logit_softcap = c.label_smoothing = c.z_loss = 0;
}

class CceSums : public testing::TestWithParam<std::string> {};

/// A log-sum-exp that is rounded to one number is as good as its two parts, but for exact logits with an offset.
TEST_P(CceSums, OfARoundedLogSumExpFailWhereLogitsAreExact) {
  CceKernelInfo admits = claims();
  admits.rounded_lse = true;
  const FloatCceKernel parts(claims()), rounded(claims(), true), admitted(admits, true);
  int failures = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CceCase c = generated_cce(seed, {.bias = 1, .offset = 0.5, .half_types = 0, .many_entries = 0});
    const bool exact = seed % 2 == 0;
    if (exact) shift_exactly(c);
    if (!exact) roughen(c);
    const auto fails = [&](const CceKernel& kernel) {
      return is_failure(judge(cce_property_named(GetParam()), {kernel}, c).verdict);
    };
    EXPECT_FALSE(fails(parts)) << "seed " << seed;
    EXPECT_FALSE(fails(admitted)) << "seed " << seed;
    const bool failed = fails(rounded);
    EXPECT_FALSE(failed && !exact) << "seed " << seed;
    failures += failed ? 1 : 0;
  }
  EXPECT_GT(failures, 20);
}

INSTANTIATE_TEST_SUITE_P(OfEach, CceSums, testing::Values("loss", "dhidden", "dweight", "dbias"));

/// Ten bits, chains of additions, and entries in ascending order, so that the maximum changes as often as it can.
class FewBitsCceKernel final : public PlainCceKernel {
 public:
  FewBitsCceKernel() { info_.unit_roundoff = few.unit_roundoff(); }

 private:
  double logit(const Work& work, std::int64_t n, std::int64_t v) const override {
    std::vector<double> terms;
    for (std::int64_t h = 0; h < work.H(); ++h)
      terms.push_back(few.round(work.hidden[static_cast<std::size_t>(n * work.H() + h)] *
                                work.weight[static_cast<std::size_t>(v * work.H() + h)]));
    if (!work.bias.empty()) terms.push_back(work.bias[static_cast<std::size_t>(v)]);
    std::ranges::sort(terms, {}, [](double x) { return -std::abs(x); });
    return few.chain(terms);
  }
  Running sum_exponentials(const Work&, const Numbers& x) const override {
    Numbers ascending = x;
    std::ranges::sort(ascending);
    return {ascending.back(), few.online_sum(ascending)};
  }
  double above(const Token& token, double x) const {
    return few.round(few.round(token.exponentials.max - x) + few.round(std::log(token.exponentials.sum)));
  }
  double loss(const Work& work, const Token& token) const override { return above(token, target_logit(work, token)); }
  double probability(const Work&, const Token& token, std::int64_t v) const override {
    return few.round(std::exp(-above(token, token.x[static_cast<std::size_t>(v)])));
  }
  double gradient_of_z(const Work& work, const Token& token, std::int64_t v) const override {
    return few.round(PlainCceKernel::gradient_of_z(work, token, v));
  }
  double accumulate(const Work&, double sum, double term) const override { return few.round(sum + few.round(term)); }

  static constexpr FewBits few{};
};

/// Logits that are dense, sparse, sharp, or exact with an offset; elements of the ten bits.
CceCase some_case(Random& random) {
  CceCase c;
  c.N = random.integer(1, 3);
  c.H = random.integer(1, 6);
  c.V = random.integer(1, 60);
  const auto kind = random.integer(0, 3);
  const bool is_flat = random.chance(0.1);
  const double scale = random.pick({0.05, 0.5, 2.0});
  const auto element = [&] {
    if (kind == 3 || random.chance(0.2)) return static_cast<float>(random.integer(-1, 1));
    return static_cast<float>(FewBits().round(scale * random.gaussian()));
  };
  for (std::int64_t i = 0; i < c.N * c.H; ++i) c.hidden.push_back(is_flat ? 0 : element());
  for (std::int64_t i = 0; i < c.V * c.H; ++i) c.weight.push_back(element());
  for (std::int64_t v = 0; v < c.V; ++v) {
    const bool is_alive = v == 0 || random.chance(0.1);
    const double bias = kind == 3 ? 500 : kind == 0 || is_alive ? 0 : kind == 1 ? -random.real(6, 14) : -30;
    c.bias.push_back(static_cast<float>(FewBits().round(bias)));
  }
  for (std::int64_t n = 0; n < c.N; ++n) c.targets.push_back(random.integer(0, c.V - 1));
  return c;
}

/// The largest errors as shares of the bounds of a kernel of the given roundoff.
struct Worst {
  double loss = 0, dhidden = 0, dweight = 0, dbias = 0;
};

Worst worst_shares(double unit_roundoff) {
  const FewBitsCceKernel kernel;
  CceKernelInfo info = kernel.info();
  info.unit_roundoff = unit_roundoff;
  Worst worst;
  const auto take = [](double& share, float got, float due, double bound) {
    share = std::max(share, std::abs(double{got} - double{due}) / bound);
  };
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    const CceCase c = some_case(random);
    const CceRun got = run_valid(kernel, c), due = run_valid(*plain_cce_kernel(), c);
    const CceBounds bounds(c, info);
    for (std::size_t i = 0; i < due.loss.size(); ++i) take(worst.loss, got.loss[i], due.loss[i], bounds.loss(i));
    for (std::size_t i = 0; i < due.dhidden.size(); ++i)
      take(worst.dhidden, got.dhidden[i], due.dhidden[i], bounds.dhidden(i, due.dhidden[i]));
    for (std::size_t i = 0; i < due.dweight.size(); ++i)
      take(worst.dweight, got.dweight[i], due.dweight[i], bounds.dweight(i, due.dweight[i]));
    for (std::size_t i = 0; i < due.dbias.size(); ++i)
      take(worst.dbias, got.dbias[i], due.dbias[i], bounds.dbias(i, due.dbias[i]));
  }
  return worst;
}

TEST(CceSumsOf, OfFewBitsStayWithinTheBounds) {
  const Worst worst = worst_shares(0x1p-10);
  for (const double share : {worst.loss, worst.dhidden, worst.dweight, worst.dbias}) {
    EXPECT_LE(share, 1);
    EXPECT_GT(share, 0.05) << "or the bound would be slack";
  }
}

TEST(CceSumsOf, OfFewBitsExceedTheBoundsOfMore) {
  const Worst worst = worst_shares(0x1p-15);
  for (const double share : {worst.loss, worst.dhidden, worst.dweight, worst.dbias}) EXPECT_GT(share, 1);
}

}  // namespace
}  // namespace assay::validation
