// Which tokens and entries each block has: every result once, and the sums of types that are not float in one block.
#include "metal/host/cce/blocks.h"

#include <gtest/gtest.h>

#include "tests/host/cce/statements.h"

namespace assay::metal::test {
namespace {

using host::CceBlock;

host::CceStatement typed(host::CceStatement statement, const char* type, std::uint64_t chunk) {
  statement.type = type;
  statement.chunk = chunk;
  return statement;
}

TEST(CceBlocks, OfFloatHaveSomeTokensAndAllEntries) {
  const auto blocks = host::cce_blocks(typed(statement_of(70, 4, 100, CcePath::production), "float", 32));
  ASSERT_EQ(blocks.size(), 3U);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(blocks[n].first_token, 32 * n);
    EXPECT_EQ(blocks[n].tokens, n < 2 ? 32U : 6U);
    EXPECT_EQ(blocks[n].first_entry, 0U);
    EXPECT_EQ(blocks[n].entries, 100U);
    EXPECT_TRUE(blocks[n].work.forward && blocks[n].work.dhidden && blocks[n].work.dweight && blocks[n].work.dbias);
  }
}

/// A 16-bit gradient cannot hold a sum of some blocks, so that each of its elements is in one block.
TEST(CceBlocks, OfOtherTypesHaveAllTokensForWhatIsSummedOverTokens) {
  const auto blocks = host::cce_blocks(typed(statement_of(128, 4, 300, CcePath::production), "half", 64));
  std::uint64_t tokens = 0, entries = 0;
  for (const CceBlock& block : blocks) {
    EXPECT_LE(block.scores(), 64U * 300) << "no more memory than a chunk of tokens";
    if (block.work.dweight) {
      EXPECT_FALSE(block.work.forward || block.work.dhidden);
      EXPECT_EQ(block.tokens, 128U);
      EXPECT_EQ(block.first_entry, entries);
      entries += block.entries;
    } else {
      EXPECT_TRUE(block.work.forward && block.work.dhidden && !block.work.dbias);
      EXPECT_EQ(block.entries, 300U);
      EXPECT_EQ(block.first_token, tokens);
      tokens += block.tokens;
    }
  }
  EXPECT_EQ(tokens, 128U);
  EXPECT_EQ(entries, 300U);
}

TEST(CceBlocks, OfAllTokensAreOneForEveryType) {
  for (const char* const type : {"float", "half", "bfloat"})
    EXPECT_EQ(host::cce_blocks(typed(statement_of(64, 4, 300, CcePath::production), type, 64)).size(), 1U) << type;
}

TEST(CceBlocks, AreOnlyThoseThatTheWorkNeeds) {
  const auto count = [](const host::CceWork& work) {
    return host::cce_blocks(typed(statement_of(128, 4, 256, CcePath::production, work), "half", 64)).size();
  };
  EXPECT_EQ(count({.forward = true}), 2U);
  EXPECT_EQ(count({.dhidden = true}), 2U);
  EXPECT_EQ(count({.dweight = true}), 2U);
  EXPECT_EQ(count({.dbias = true}), 2U);
  EXPECT_EQ(count({.forward = true, .dbias = true}), 4U);
  EXPECT_EQ(count({}), 0U);
}

/// Few entries of very many tokens, and few tokens of very many entries: at least a slab of either.
TEST(CceBlocks, HaveASlabWhereNoMoreFits) {
  const auto blocks =
      host::cce_blocks(typed(statement_of(1U << 20, 4, 100, CcePath::production, {.dweight = true}), "half", 32));
  EXPECT_EQ(blocks.size(), 4U);
  EXPECT_EQ(blocks[0].entries, 32U);
}

}  // namespace
}  // namespace assay::metal::test
