// The table of tokens that are not ignored, and the weights of their losses.
#include "metal/host/cce/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernels/cce/case.h"

namespace assay::metal::test {
namespace {

std::vector<cce::Token> tokens_of(const CceCase& c) {
  return host::cce_tables(Typed<float>(c).problem()).tokens;
}

TEST(CceTokens, AreThoseThatAreNotIgnored) {
  CceCase c = some_cce(7, 2, 50);
  c.targets = {3, -100, 0, 49, -100, -100, 3};
  const std::vector<cce::Token> tokens = tokens_of(c);
  ASSERT_EQ(tokens.size(), 4U);
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> expected = {{0, 3}, {2, 0}, {3, 49}, {6, 3}};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(std::pair(tokens[i].row, tokens[i].target), expected[i]);
    EXPECT_EQ(tokens[i].weight, 1.0F);
  }
}

TEST(CceTokens, LeaveTheRowsOfTheOthers) {
  CceCase c = some_cce(7, 2, 50);
  c.targets = {3, -100, 0, 49, -100, -100, 3};
  EXPECT_THAT(host::cce_tables(Typed<float>(c).problem()).ignored, testing::ElementsAre(1, 4, 5));
  c.targets.assign(7, 0);
  EXPECT_TRUE(host::cce_tables(Typed<float>(c).problem()).ignored.empty());
}

TEST(CceTokens, AreNoneWhereAllAreIgnored) {
  CceCase c = some_cce(3, 2, 50);
  c.targets = {-100, -100, -100};
  c.reduction = Reduction::mean;
  EXPECT_TRUE(tokens_of(c).empty());
  EXPECT_TRUE(tokens_of(CceCase{}).empty());
}

/// Upstream of each token is by its row, not by its place among those that are left.
TEST(CceTokens, WeighTheirOwnUpstream) {
  CceCase c = some_cce(4, 2, 50);
  c.targets = {1, -100, 2, 3};
  c.upstream = {0.5F, 7.0F, -2.0F, 0.0F};
  const std::vector<cce::Token> tokens = tokens_of(c);
  EXPECT_EQ(tokens[0].weight, 0.5F);
  EXPECT_EQ(tokens[1].weight, -2.0F);
  EXPECT_EQ(tokens[2].weight, 0.0F);
}

/// A mean is over those that are left; the product with upstream is rounded once.
TEST(CceTokens, ShareAMean) {
  CceCase c = some_cce(4, 2, 50);
  c.targets = {1, -100, 2, 3};
  c.reduction = Reduction::mean;
  EXPECT_EQ(tokens_of(c)[1].weight, static_cast<float>(1.0 / 3));
  c.upstream = {0.1F};
  for (const cce::Token& token : tokens_of(c)) EXPECT_EQ(token.weight, static_cast<float>(double{0.1F} / 3));
  c.reduction = Reduction::sum;
  for (const cce::Token& token : tokens_of(c)) EXPECT_EQ(token.weight, 0.1F);
}

}  // namespace
}  // namespace assay::metal::test
