#include "reference/number/residue_constant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/reference/number/residues.h"

namespace assay::reference {
namespace {

TEST(ResidueConstant, ConstantsStandForTheNumbersThatProgramsMean) {
  const Residue x = drawn(1)[0];
  EXPECT_SAME(exp2(x * residue_of_constant(1.44269504088896340736F)), exp(x));
  EXPECT_SAME(exp2(x * residue_of_constant(0x1.71547652b82fep+0)), exp(x));
  EXPECT_SAME(residue_of_constant(0.6931471805599453), residue_of_constant(0.69314718F));
  EXPECT_SAME(residue_of_constant(1e-5), residue_of_constant(1e-5F));
  EXPECT_SAME(residue_of_constant(1e-5) * whole(100'000), whole(1));
  EXPECT_SAME(residue_of_constant(-0.044715F) * whole(1'000'000), whole(-44'715));
  EXPECT_SAME(residue_of_constant(1.0 / 3) * whole(3), whole(1));
  EXPECT_SAME(residue_of_constant(1.0F / 3), residue_of_constant(1.0 / 3));
  EXPECT_EQ(residue_of_constant(1 / std::sqrt(80.0F)).part, rsqrt(whole(80)).part);
  EXPECT_EQ(residue_of_constant(std::sqrt(2 / std::numbers::pi)).part, residue_of_constant(0.7978845608F).part);
  EXPECT_EQ((residue_of_constant(std::sqrt(2 / std::numbers::pi)) * sqrt(symbol_pi())).part, sqrt(whole(2)).part);
  EXPECT_EQ(residue_of_constant(std::numbers::log2e / std::sqrt(96.0)).part, (symbol_log2e() * rsqrt(whole(96))).part);
  EXPECT_SAME(residue_of_constant(std::log(10000.0)), log(whole(10'000)));
  EXPECT_SAME(residue_of_constant(2.718281828F), exp(whole(1)));
  EXPECT_SAME(residue_of_constant(1.6732632423543772), residue_of_constant(1.6732632423543772F));
  EXPECT_EQ(compare(residue_of_constant(1.6732632F), residue_of_constant(1.6732636F)), Comparison::undecided);
  EXPECT_SAME(residue_of_constant(1 / 131'073.0F) * whole(131'073), whole(1));
  EXPECT_SAME(residue_of_constant(16'777'215), whole(16'777'215));
  EXPECT_OTHER(residue_of_constant(1e-5), residue_of_constant(1e-6));
  EXPECT_OTHER(residue_of_constant(1.443F), symbol_log2e());
  EXPECT_EQ(residue_of_constant(0.8125), Residue::of(0.8125));
}

TEST(ResidueConstant, ConstantsThatMayBeNearANumberByChanceAccuseNobody) {
  constexpr int count = 20'000;
  int doubted = 0;
  for (const Residue& one : drawn(count)) {
    const double random = 1 + std::ldexp(static_cast<double>(one.part[0] >> 10), -51);
    const auto rounded = static_cast<double>(static_cast<float>(random));
    EXPECT_NE(residue_of_constant(random).traits & Residue::rounded, 0) << random;
    doubted += (residue_of_constant(rounded).traits & Residue::rounded) != 0 ? 1 : 0;
  }
  EXPECT_GT(doubted, count - count / 200);
  EXPECT_EQ(compare(residue_of_constant(1 / 65'539.0F), rsqrt(whole(7))), Comparison::undecided);
}

TEST(ResidueConstant, TheConstantsOfATableAreOfNoteTogetherOrNotAtAll) {
  const std::vector<double> decays = {1, 0.1, 0.01F, 0.001F}, computed = {1, 0.1, 0.01F, 0.019000001F};
  for (const Residue& one : residues_of_constants(decays)) EXPECT_EQ(one.traits, 0);
  const auto found = residues_of_constants(computed);
  EXPECT_EQ(found[0].traits, 0);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NE(found[i].traits & Residue::rounded, 0) << i;
}

}  // namespace
}  // namespace assay::reference
