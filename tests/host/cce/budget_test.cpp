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

TEST(CcePosition, IsARowOfSumsAndOnThePlainPathItsLogits) {
  EXPECT_EQ(cce_position_bytes(KernelPath::production, 4096, 16384), 4096U * 4);
  EXPECT_EQ(cce_position_bytes(KernelPath::plain, 4096, 100), (4096U + 100) * 4);
  EXPECT_EQ(cce_position_bytes(KernelPath::plain, 4096, 16384), (4096U + 16384) * 4);
  EXPECT_EQ(cce_position_bytes(KernelPath::plain, 4096, 16385), (4096U + 16384) * 4) << "so many at a time";
  EXPECT_EQ(cce_position_bytes(KernelPath::production, most / 4, 1), most / 4 * 4);
  EXPECT_EQ(cce_position_bytes(KernelPath::production, most / 4 + 1, 1), most);
  EXPECT_EQ(cce_position_bytes(KernelPath::plain, most / 4, 1), most);
}

TEST(CceChunk, IsOfTheUsualSizeWhereThatFits) {
  EXPECT_EQ(cce_chunk(most, 1), 16384U);
  EXPECT_EQ(cce_chunk(16384 * 100, 100), 16384U);
  EXPECT_EQ(cce_chunk(most, most), 1024U);
}

TEST(CceChunk, IsAMultipleOf256BelowThat) {
  EXPECT_EQ(cce_chunk(16384 * 100 - 1, 100), 16384U - 256);
  EXPECT_EQ(cce_chunk(1280 * 100, 100), 1280U);
  EXPECT_EQ(cce_chunk(1280 * 100 - 1, 100), 1024U);
  EXPECT_EQ(cce_chunk(1535 * 100 + 99, 100), 1280U);
}

TEST(CceChunk, IsNeverBelow1024) {
  EXPECT_EQ(cce_chunk(1024 * 100, 100), 1024U);
  EXPECT_EQ(cce_chunk(1024 * 100 - 1, 100), 1024U);
  EXPECT_EQ(cce_chunk(0, 100), 1024U);
  EXPECT_EQ(cce_chunk(0, 0), 1024U);
}

/// The seed's own sizes on a machine of 16 GiB, of which the working set is 10.67 GiB: of Llama's vocabulary, and of
/// ever more tokens.
TEST(CceChunk, ShrinksAsTokensGrow) {
  const auto chunk = [](KernelPath path, std::uint64_t tokens, std::uint64_t H) {
    const std::uint64_t inputs = (tokens + 128'000) * H * 2;
    return cce_chunk(cce_budget(path, {.working_set = 32 * GiB / 3, .allocated = 0, .needed = 2 * inputs}, 0),
                     cce_position_bytes(path, H, tokens));
  };
  EXPECT_EQ(chunk(KernelPath::production, 16384, 4096), 4096U) << "64 MiB";
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
