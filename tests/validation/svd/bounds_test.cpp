// Bounds: those of a hand, and those that an honest float32 kernel keeps and a boastful one does not.
#include "validation/svd/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/validation/svd/float_kernel.h"
#include "tests/validation/svd/kernels.h"
#include "validation/core/report.h"
#include "validation/svd/operation.h"

namespace assay::validation {
namespace {

constexpr double u = 0x1p-24;

/// What FloatSvdKernel may say of itself, and of float32 at that.
SvdKernelInfo claims(double unit_roundoff = u) {
  SvdKernelInfo info;
  info.name = "some";
  info.unit_roundoff = unit_roundoff;
  info.graded = true;
  info.support.dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16};
  return info;
}

/// K = 2, L = 14, ten sweeps: 4 sqrt(34) + 8 roundings.
TEST(SvdBounds, AreThoseOfAHand) {
  const SvdCase c{1, 14, 2, Dtype::float32, std::vector<double>(28, 2.0)};
  const SvdKernelInfo info = claims();
  const SvdBounds bounds(c, info);
  const double e = (4 * std::sqrt(34.0) + 8) * u, d = e + u, norm = 2 * std::sqrt(28.0), g = 2.5 * u;
  EXPECT_NEAR(bounds.rotations(), e, 1e-6 * e);
  EXPECT_NEAR(bounds.drift(), g, 1e-6 * g);
  EXPECT_NEAR(bounds.orthogonal(), 2 * d, 1e-5 * d);
  EXPECT_NEAR(bounds.unit_length(), 2 * (d + g), 1e-5 * d);
  EXPECT_NEAR(bounds.residual(0), (e + 2 * (d + g) + u) * (1 + 2 * (d + g)) * norm, 1e-9 * norm * e);
  EXPECT_NEAR(bounds.value(0, 10), e * norm + 10 * (g + u), 1e-6 * e);
  EXPECT_NEAR(bounds.rounded(10), 10 * u, 1e-6 * u);
  EXPECT_NEAR(bounds.graded(0.001, 3), 0.003 * e + 0.001 * (g + u), 1e-6 * e);
}

TEST(SvdBounds, AllowOneRoundingToTheStoredTypes) {
  const SvdKernelInfo exact = claims(0x1p-53);
  for (const Dtype dtype : all_dtypes()) {
    const SvdCase c = exchange(dtype);
    const SvdBounds bounds(c, exact);
    const double v = format_of(dtype).roundoff, of_values = format_of(value_dtype(dtype)).roundoff;
    if (dtype != Dtype::float64) {
      EXPECT_NEAR(bounds.orthogonal(), 2 * v + v * v, 1e-5 * v + 3 * format_of(dtype).smallest);
      EXPECT_NEAR(bounds.value(0, 2), 2 * of_values, 1e-3 * of_values);
    }
    EXPECT_GT(bounds.orthogonal(), 2 * v);
    EXPECT_GT(bounds.value(0, 2), 2 * of_values);
  }
}

TEST(SvdBounds, AllowForUnderflow) {
  const SvdKernelInfo info = claims();
  for (const Dtype dtype : all_dtypes()) {
    const SvdCase zero{1, 2, 2, dtype, {0, 0, 0, 0}};
    const double least = format_of(value_dtype(dtype)).smallest;
    EXPECT_EQ(SvdBounds(zero, info).value(0, 0), least);
    EXPECT_EQ(SvdBounds(zero, info).residual(0), 2 * least);
    EXPECT_EQ(SvdBounds(zero, info).rounded(0), least);
  }
}

/// Of a float64 matrix the roundoff inside is that of float64, whatever is claimed of the others.
TEST(SvdBounds, OfDoublesAreThoseOfDoubles) {
  const SvdKernelInfo info = claims();
  const SvdCase narrow = exchange(), wide = exchange(Dtype::float64);
  const SvdBounds as_float(narrow, info), as_double(wide, info);
  EXPECT_NEAR(as_double.orthogonal() / as_float.orthogonal(), 0x1p-29, 1e-14);
  EXPECT_NEAR(as_double.value(0, 1) / as_float.value(0, 1), 0x1p-29, 1e-14);
}

TEST(SvdBounds, GrowWithWhatAKernelAdmits) {
  SvdKernelInfo more_sweeps = claims(), coarse = claims(0x1p-20), usual = claims();
  more_sweeps.sweeps = 40;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const SvdCase c = generated_svd(seed, {.doubles = 0});
    const SvdBounds a(c, usual), b(c, more_sweeps), d(c, coarse);
    EXPECT_LT(a.orthogonal(), b.orthogonal());
    EXPECT_LT(b.orthogonal(), d.orthogonal());
    for (std::int64_t k = 0; k < c.B; ++k) {
      EXPECT_LE(a.residual(k), b.residual(k));
      EXPECT_LE(b.residual(k), d.residual(k));
      EXPECT_LE(a.value(k, 1), b.value(k, 1));
    }
  }
}

/// Scales at either end of every type among them: numbers all the same, and no more than a part in a hundred.
TEST(SvdBounds, AreNumbersForEveryGeneratedCase) {
  const SvdKernelInfo info = claims();
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const SvdCase c = generated_svd(seed, {.scaled = 0.8, .doubles = 0.5});
    const SvdBounds bounds(c, info);
    EXPECT_LT(bounds.orthogonal(), 0.02) << "seed " << seed;
    for (std::int64_t b = 0; b < c.B; ++b) {
      EXPECT_TRUE(std::isfinite(bounds.residual(b))) << "seed " << seed;
      EXPECT_TRUE(std::isfinite(bounds.value(b, 1))) << "seed " << seed;
      EXPECT_GT(bounds.residual(b), 0) << "seed " << seed;
    }
  }
}

/// The norm itself is beyond double, and an infinite bound would let anything pass.
TEST(SvdBounds, AreNumbersWhereTheNormIsNone) {
  const double most = std::numeric_limits<double>::max();
  const SvdCase c{1, 2, 2, Dtype::float64, {most, most, -most, most}};
  const SvdBounds bounds(c, claims());
  ASSERT_TRUE(std::isinf(frobenius_norm(c, 0)));
  EXPECT_LT(bounds.residual(0), 1e-13 * most);
  EXPECT_LT(bounds.value(0, most), 1e-13 * most);
}

TEST(SvdBounds, LetNothingPassOfANan) {
  const SvdCase c = exchange();
  const SvdKernelInfo info = claims();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(SvdBounds(c, info).value(0, nan) >= 0);
  EXPECT_FALSE(SvdBounds(c, info).graded(nan, 2) >= 0);
}

class SvdFloat : public testing::TestWithParam<std::string> {};

TEST_P(SvdFloat, KernelThatIsHonestStaysWithin) {
  const FloatSvdKernel honest(claims());
  const auto report = svd_report(honest, GetParam(), 150);
  EXPECT_EQ(report.verdict, Verdict::pass) << failure_text(report);
  EXPECT_GT(report.worst.share, 0.02) << "or the bound would be slack";
}

TEST_P(SvdFloat, KernelThatBoastsDoesNot) {
  const FloatSvdKernel boastful(claims(0x1p-53));
  EXPECT_EQ(svd_report(boastful, GetParam(), 150).verdict, Verdict::fail);
}

INSTANTIATE_TEST_SUITE_P(AgainstTheReference, SvdFloat,
                         testing::Values("orthonormal-u", "orthonormal-v", "reconstruction", "null-space", "values",
                                         "graded", "transposition", "invariance", "permutation"),
                         [](const auto& property) { return test_name(property.param); });

/// Sizes that are generated by no run: the square root in the bound must keep up with the sweeps.
TEST(SvdFloatKernel, StaysWithinAtALargerSize) {
  const FloatSvdKernel honest(claims());
  for (const double decades : {0.0, 10.0}) {
    const SvdCase c = SvdOperation::sized_case(1, 70, 60, decades, Dtype::float32, 3);
    for (const char* name : {"orthonormal-u", "orthonormal-v", "reconstruction", "transposition"}) {
      const Finding finding = judge(svd_property_named(name), {honest}, c);
      EXPECT_EQ(finding.verdict, Verdict::pass) << name << finding.explanation;
    }
  }
}

}  // namespace
}  // namespace assay::validation
