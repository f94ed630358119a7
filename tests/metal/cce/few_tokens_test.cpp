// The products of linear cross-entropy over a few tokens, on every instruction set of this machine: against integers,
// at every end of rows, past the caches; and calls that take them against the reference.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "metal/cpu/cce/elements.h"
#include "tests/limits.h"
#include "tests/metal/cce/truth.h"

namespace assay::metal {
namespace {

using cpu::CceStored;
using cpu::FewSizes;

/// Whole numbers from -3 to 3, whose products and sums are exact in every type.
template <class Real>
std::vector<Real> whole_numbers(std::size_t count, std::size_t seed) {
  std::vector<Real> x;
  for (std::size_t i = 0; i < count; ++i) x.push_back(Real(static_cast<float>((i * i + seed * i) % 7) - 3.0F));
  return x;
}

template <class Real>
struct Products {
  FewSizes s;
  std::vector<float> hidden = whole_numbers<float>(s.R * s.H, 1), G = whole_numbers<float>(s.R * s.C, 2);
  std::vector<Real> weight = whole_numbers<Real>(s.C * s.H, 3);

  double logit(std::size_t r, std::size_t v) const {
    double sum = 0.0;
    for (std::size_t h = 0; h < s.H; ++h) sum += hidden[r * s.H + h] * static_cast<double>(weight[v * s.H + h]);
    return sum;
  }

  double dhidden(std::size_t r, std::size_t h) const {
    double sum = 0.0;
    for (std::size_t v = 0; v < s.C; ++v) sum += G[r * s.C + v] * static_cast<double>(weight[v * s.H + h]);
    return sum;
  }

  double dweight(std::size_t v, std::size_t h) const {
    double sum = 0.0;
    for (std::size_t r = 0; r < s.R; ++r) sum += G[r * s.C + v] * static_cast<double>(hidden[r * s.H + h]);
    return sum;
  }
};

template <class Real>
void expect_products(const CceStored<Real>& loops, const Products<Real>& p) {
  const auto [R, C, H] = p.s;
  std::vector<float> logits(R * C, 777.0F), dhidden(R * H, 5.0F);
  std::vector<Real> dweight(C * H + 1, Real(777.0F));
  loops.few_logits(logits.data(), p.s, p.hidden.data(), p.weight.data());
  loops.few_dhidden(dhidden.data(), p.s, p.G.data(), p.weight.data());
  loops.few_dweight(dweight.data(), p.s, p.G.data(), p.hidden.data(), false);
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < C; ++v) ASSERT_EQ(logits[r * C + v], p.logit(r, v)) << r << ", " << v;
    for (std::size_t h = 0; h < H; ++h) ASSERT_EQ(dhidden[r * H + h], 5.0 + p.dhidden(r, h)) << r << ", " << h;
  }
  for (std::size_t v = 0; v < C; ++v)
    for (std::size_t h = 0; h < H; ++h)
      ASSERT_EQ(static_cast<float>(dweight[v * H + h]), p.dweight(v, h)) << v << ", " << h;
  ASSERT_EQ(static_cast<float>(dweight[C * H]), static_cast<float>(Real(777.0F)));
}

template <class Real>
class CceFewTokens : public testing::Test {};
using Types = testing::Types<float, Half, BFloat16>;
TYPED_TEST_SUITE(CceFewTokens, Types);

TYPED_TEST(CceFewTokens, ProductsOfEverySize) {
  for (const cpu::InstructionSet set : cpu::instruction_sets())
    for (std::size_t R = 1; R <= 6; ++R)
      for (const std::size_t C : {1U, 3U, 4U, 5U, 8U})
        for (const std::size_t H : {1U, 15U, 16U, 17U, 40U}) {
          SCOPED_TRACE("R=" + std::to_string(R) + " C=" + std::to_string(C) + " H=" + std::to_string(H));
          expect_products(cpu::table_for<CceStored<TypeParam>>(set), Products<TypeParam>{{R, C, H}});
        }
}

TYPED_TEST(CceFewTokens, PastTheCachesFromAnyAddress) {
  for (const cpu::InstructionSet set : cpu::instruction_sets())
    for (const std::size_t H : {1U, 20U, 64U})
      for (std::size_t first = 0; first < 17; ++first) {
        const Products<TypeParam> p{{3, 5, H}};
        std::vector<TypeParam> streamed(first + 5 * H + 1, TypeParam(777.0F));
        TypeParam* dweight = streamed.data() + first;
        cpu::table_for<CceStored<TypeParam>>(set).few_dweight(dweight, p.s, p.G.data(), p.hidden.data(), true);
        for (std::size_t i = 0; i < first; ++i)
          ASSERT_EQ(static_cast<float>(streamed[i]), static_cast<float>(TypeParam(777.0F)));
        for (std::size_t v = 0; v < 5; ++v)
          for (std::size_t h = 0; h < H; ++h) ASSERT_EQ(static_cast<float>(dweight[v * H + h]), p.dweight(v, h));
        ASSERT_EQ(static_cast<float>(dweight[5 * H]), static_cast<float>(TypeParam(777.0F)));
      }
}

TYPED_TEST(CceFewTokens, WhatIsNotFiniteStaysWithItsEntry) {
  for (const cpu::InstructionSet set : cpu::instruction_sets())
    for (const float bad : {tests::infinity, tests::nan}) {
      Products<TypeParam> p{{2, 6, 20}};
      p.weight[4 * 20 + 19] = TypeParam(bad);
      for (float& x : p.hidden) x = 1.0F;
      std::vector<float> logits(12);
      cpu::table_for<CceStored<TypeParam>>(set).few_logits(logits.data(), p.s, p.hidden.data(), p.weight.data());
      for (std::size_t i = 0; i < logits.size(); ++i) EXPECT_EQ(std::isfinite(logits[i]), i % 6 != 4) << i;
    }
}

TYPED_TEST(CceFewTokens, NoMinusZero) {
  for (const cpu::InstructionSet set : cpu::instruction_sets()) {
    const std::vector<float> G = {-1.0F}, hidden(17, 0.0F);
    std::vector<TypeParam> dweight(17);
    cpu::table_for<CceStored<TypeParam>>(set).few_dweight(dweight.data(), {1, 1, 17}, G.data(), hidden.data(), false);
    for (const TypeParam x : dweight) EXPECT_FALSE(std::signbit(static_cast<float>(x)));
  }
}

TYPED_TEST(CceFewTokens, CallsWithAndWithoutThem) {
  for (const std::int64_t N : {1, 3, 8, 9, 16, 17})
    for (const std::int64_t few : {0, 18})
      for (const cpu::InstructionSet set : cpu::instruction_sets()) {
        CallOptions how = {2, {}};
        how.tuning.few_tokens = few;
        how.tuning.set = set;
        const CceCase<TypeParam> given(N, 37, 300, 3.0, true);
        expect_truth(fused(given, how), truth_of(given.problem()));
        expect_truth(separate(given, how), truth_of(given.problem()));
      }
}

TYPED_TEST(CceFewTokens, AGradientThatIsLargerThanTheCaches) {
  const CceCase<TypeParam> given(2, 64,
                                 (std::int64_t{4} << 20) / (64 * static_cast<std::int64_t>(sizeof(TypeParam))) + 3);
  expect_truth(fused(given), truth_of(given.problem()));
}

}  // namespace
}  // namespace assay::metal
