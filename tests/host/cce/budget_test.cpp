// How large chunks are, at the edges of what decides it.
#include "metal/host/cce/budget.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay::metal::host {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t GiB = std::uint64_t{1} << 30;

TEST(CceBudget, IsAQuarterOfWhatIsLeft) {
  EXPECT_EQ(cce_budget(KernelPath::plain, {.working_set = 1000, .allocated = 0, .needed = 0}, 0), 250U);
  EXPECT_EQ(cce_budget(KernelPath::plain, {.working_set = 1000, .allocated = 300, .needed = 100}, 0), 150U);
  EXPECT_EQ(cce_budget(KernelPath::plain, {.working_set = 1000, .allocated = 999, .needed = 0}, 0), 0U);
}

TEST(CceBudget, IsNothingWhereNothingIsLeft) {
  EXPECT_EQ(cce_budget(KernelPath::plain, {.working_set = 1000, .allocated = 1000, .needed = 0}, 0), 0U);
  EXPECT_EQ(cce_budget(KernelPath::plain, {.working_set = 1000, .allocated = 5000, .needed = 0}, 0), 0U);
  EXPECT_EQ(cce_budget(KernelPath::plain, {.working_set = 1000, .allocated = 600, .needed = 600}, 0), 0U);
  EXPECT_EQ(cce_budget(KernelPath::plain, {.working_set = 1000, .allocated = most, .needed = most}, 0), 0U);
}

TEST(CceBudget, IsWhatWasAskedForWhateverIsLeft) {
  EXPECT_EQ(cce_budget(KernelPath::plain, {.working_set = 1000, .allocated = 1000, .needed = 0}, 77), 77U);
}

TEST(CceBudget, HasNoBoundWhereTheDeviceTellsNone) {
  EXPECT_EQ(cce_budget(KernelPath::plain, {.working_set = 0, .allocated = 123, .needed = 456}, 0), most);
}

TEST(CceBudget, IsAtMost64MiBOnTheProductionPath) {
  constexpr std::uint64_t MiB = std::uint64_t{1} << 20;
  const auto budget = [](std::uint64_t working_set, std::uint64_t asked) {
    return cce_budget(KernelPath::production, {.working_set = working_set, .allocated = 0, .needed = 0}, asked);
  };
  EXPECT_EQ(budget(0, 0), 64 * MiB);
  EXPECT_EQ(budget(256 * MiB, 0), 64 * MiB);
  EXPECT_EQ(budget(256 * MiB - 4, 0), 64 * MiB - 1);
  EXPECT_EQ(budget(0, 65 * MiB), 65 * MiB);
}

/// The chunk of a problem with 4096 tokens.
std::uint64_t chunk(KernelPath path, std::uint64_t H, std::uint64_t V, std::uint64_t budget) {
  CceStatement statement;
  statement.path = path;
  statement.M = 4096, statement.H = H, statement.V = V;
  return cce_chunk(statement, budget);
}

TEST(CceChunk, HasTheLogitsOfItsTokens) {
  constexpr std::uint64_t row = 32000 * 4;
  const auto of = [](std::uint64_t budget) { return chunk(KernelPath::production, 2048, 32000, budget); };
  EXPECT_EQ(of(std::uint64_t{64} << 20), 512U);
  EXPECT_EQ(of(512 * row), 512U);
  EXPECT_EQ(of(512 * row - 1), 448U);
  EXPECT_EQ(of(63 * row), 32U);
  EXPECT_EQ(of(0), 32U);
  EXPECT_EQ(of(most), 16384U);
  EXPECT_EQ(chunk(KernelPath::production, 1, most, most), 32U) << "no overflow";
}

TEST(CceChunk, OfThePlainPathHasARowOfSumsAndALogitOfEachToken) {
  constexpr std::uint64_t position = (2048 + 4096) * 4;
  const auto of = [](std::uint64_t budget) { return chunk(KernelPath::plain, 2048, 32000, budget); };
  EXPECT_EQ(of(1536 * position), 1536U);
  EXPECT_EQ(of(1536 * position - 1), 1280U);
  EXPECT_EQ(of(1024 * position), 1024U);
  EXPECT_EQ(of(0), 1024U);
  EXPECT_EQ(of(most), 16384U);
  EXPECT_EQ(chunk(KernelPath::plain, most / 4, 1, most), 1024U) << "no overflow";
}

/// The seed's own sizes on a machine of 16 GiB, of which the working set is 10.67 GiB: of Llama's vocabulary, and of
/// ever more tokens.
TEST(CceChunk, ShrinksAsTokensGrow) {
  const auto chunk = [](KernelPath path, std::uint64_t tokens, std::uint64_t H) {
    const std::uint64_t inputs = (tokens + 128'000) * H * 2;
    CceStatement statement;
    statement.path = path;
    statement.M = tokens, statement.H = H, statement.V = 128'000;
    return cce_chunk(statement,
                     cce_budget(path, {.working_set = 32 * GiB / 3, .allocated = 0, .needed = 2 * inputs}, 0));
  };
  EXPECT_EQ(chunk(KernelPath::production, 16384, 4096), 128U) << "64 MiB";
  EXPECT_EQ(chunk(KernelPath::plain, 1024, 4096), 16384U);
  std::uint64_t before = 16384;
  for (const std::uint64_t tokens : {16384U, 65536U, 131072U, 262144U, 524288U, 1048576U}) {
    const std::uint64_t now = chunk(KernelPath::plain, tokens, 4096);
    EXPECT_LE(now, before);
    EXPECT_GE(now, 1024U);
    EXPECT_EQ(now % 256, 0U);
    before = now;
  }
  EXPECT_EQ(before, 1024U);
}

}  // namespace
}  // namespace assay::metal::host
