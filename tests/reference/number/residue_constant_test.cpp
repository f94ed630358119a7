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
  EXPECT_OTHER(residue_of_constant(1e-5), residue_of_constant(1e-6));
  EXPECT_OTHER(residue_of_constant(1.4427F), symbol_log2e());
  EXPECT_EQ(residue_of_constant(0.8125), Residue::of(0.8125));
}

}  // namespace
}  // namespace assay::reference
