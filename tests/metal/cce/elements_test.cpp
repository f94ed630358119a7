// The inner loops of linear cross-entropy on every instruction set of this machine: exp, tanh and its slope against
// double over their ranges, sums, ends of rows, and copies that begin and end anywhere.
#include "metal/cpu/cce/elements.h"
#include "tests/limits.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace assay::metal::cpu {
namespace {

using tests::infinity;
using tests::nan;
constexpr double u = 0x1p-23;

/// Numbers from `least` to `most`, and no whole number of registers of them.
std::vector<float> numbers(double least, double most) {
  std::vector<float> x;
  for (int i = 0; i < 100'003; ++i) x.push_back(static_cast<float>(least + (most - least) * i / 100'002.0));
  return x;
}

CceSums row(InstructionSet set, std::vector<float>& x, const CceRow& row) {
  const std::vector<float> bias(x.size(), 0.0F);
  return table_for<CceElements>(set).row(x.data(), x.size(), bias.data(), row);
}

TEST(CceElements, Exponential) {
  for (const InstructionSet set : instruction_sets()) {
    const std::vector<float> x = numbers(-86.9, 60.0);
    std::vector<float> e = x;
    row(set, e, {.keep = true});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = std::exp(static_cast<double>(x[i]));
      if (!(std::abs(e[i] - exact) <= 1.5 * u * exact)) FAIL() << "exp(" << x[i] << ") = " << e[i];
    }
  }
}

TEST(CceElements, ExponentialAtTheEnds) {
  for (const InstructionSet set : instruction_sets()) {
    std::vector<float> x = {-infinity, -88.0F, -1e30F, 88.0F, 1e30F, 0.0F};
    row(set, x, {.keep = true});
    for (const std::size_t i : {0U, 1U, 2U}) EXPECT_EQ(x[i], 0.0F);
    EXPECT_EQ(x[3], x[4]);
    EXPECT_TRUE(std::isfinite(x[4]));
    EXPECT_EQ(x[5], 1.0F);
  }
}

TEST(CceElements, TanhAndItsSlope) {
  const double cap = 2.0;
  for (const InstructionSet set : instruction_sets()) {
    const std::vector<float> z = numbers(-60.0, 60.0);
    std::vector<float> kept = z;
    row(set, kept, {.cap = static_cast<float>(cap), .keep = true});
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double y = z[i] / cap, q = std::exp(-2.0 * std::abs(y)), slope = 4.0 * q / ((1.0 + q) * (1.0 + q));
      const double exact = std::exp(cap * std::tanh(y)) * slope;
      // tanh 4 u, its exponential cap times that; slope 10 u and as many as the exponential's argument was rounded by
      if (!(std::abs(kept[i] - exact) <= (20.0 + 2.0 * std::abs(y)) * u * exact)) FAIL() << z[i] << ": " << kept[i];
    }
  }
}

TEST(CceElements, SumsOfEveryLength) {
  for (const InstructionSet set : instruction_sets())
    for (std::size_t n = 0; n <= 50; ++n) {
      std::vector<float> x;
      double exponentials = 0.0, logits = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        x.push_back(static_cast<float>(i % 7) - 3.0F);
        exponentials += std::exp(x[i] - 0.5);
        logits += x[i] - 0.5;
      }
      const CceSums sums = row(set, x, {.reference = 0.5F, .with_logits = true});
      EXPECT_NEAR(sums.exponentials, exponentials, 2.0 * u * exponentials);
      EXPECT_DOUBLE_EQ(sums.logits, logits);
      EXPECT_EQ(sums.largest, n == 0 ? -infinity : static_cast<float>(n < 7 ? n - 1 : 6) - 3.5F);
      EXPECT_TRUE(sums.finite);
    }
}

TEST(CceElements, WhatIsNotFiniteIsNoticed) {
  for (const InstructionSet set : instruction_sets())
    for (const float bad : {infinity, -infinity, nan})
      for (const std::size_t at : {0U, 15U, 16U, 34U}) {
        std::vector<float> x(35, 1.0F);
        x[at] = bad;
        EXPECT_FALSE(row(set, x, {}).finite);
      }
}

TEST(CceElements, StreamedCopiesBeginAndEndAnywhere) {
  for (const InstructionSet set : instruction_sets())
    for (std::size_t begin = 0; begin < 70; begin += 2)
      for (const std::size_t bytes : {0U, 2U, 62U, 64U, 66U, 200U}) {
        std::vector<std::uint8_t> from(300), to(400, 0xee);
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint8_t>(i);
        table_for<CceElements>(set).stream(to.data() + begin, from.data() + 6, bytes);
        for (std::size_t i = 0; i < to.size(); ++i)
          ASSERT_EQ(to[i], i >= begin && i < begin + bytes ? from[i - begin + 6] : 0xee);
      }
}

TEST(CceElements, NarrowedNumbersAreTheNearest) {
  const std::vector<float> x = numbers(-3.0, 1000.0);
  for (const InstructionSet set : instruction_sets()) {
    std::vector<BFloat16> narrow(x.size()), scaled(x.size());
    table_for<CceElements>(set).narrow(narrow.data(), x.data(), x.size());
    table_for<CceElements>(set).scale_narrow(scaled.data(), narrow.data(), x.size(), 0.3F);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(narrow[i].bits, BFloat16(x[i]).bits);
      ASSERT_EQ(scaled[i].bits, BFloat16(static_cast<float>(narrow[i]) * 0.3F).bits);
    }
  }
}

/// Every sign, exponent and beginning of a fraction, around the ties of 16 bits: subnormal numbers, infinities and NaN
/// too.
template <class Real>
void expect_rounded_once() {
  std::vector<float> x;
  for (std::uint32_t high = 0; high < 0x10000U; ++high)
    for (const std::uint32_t low : {0x0U, 0x1U, 0x8000U, 0x8001U}) x.push_back(std::bit_cast<float>(high << 16U | low));
  x.pop_back();  // no whole number of registers
  for (const InstructionSet set : instruction_sets()) {
    std::vector<Real> narrow(x.size());
    table_for<CceStored<Real>>(set).round(narrow.data(), x.data(), x.size(), 1.0, 0.0, nullptr);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(narrow[i].bits, rounded<Real>(x[i]).bits) << x[i];
  }
}

TEST(CceElements, SumsAreRoundedOnce) {
  expect_rounded_once<Half>();
  expect_rounded_once<BFloat16>();
}

}  // namespace
}  // namespace assay::metal::cpu
