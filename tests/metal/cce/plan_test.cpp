// How a call of linear cross-entropy divides its work: every thread has some, and all memory fits in the budget.
#include "metal/cpu/cce/plan.h"

#include <gtest/gtest.h>

namespace assay::metal::cpu {
namespace {

struct Size {
  std::int64_t N, H, V;
};

constexpr Size sizes[] = {{1024, 512, 32000}, {2048, 1024, 32000}, {512, 2048, 128000}, {4096, 4096, 128256}};

CceNeeds needs_of_floats(Size size) {
  CceNeeds needs;
  needs.M = size.N;
  needs.H = size.H;
  needs.V = size.V;
  needs.rows_in_dweight = size.H;
  needs.dhidden = needs.dweight = true;
  return needs;
}

CceNeeds needs_of_halves(Size size, bool converts) {
  CceNeeds needs = needs_of_floats(size);
  needs.operand = converts ? 4 : 2;
  needs.copies_weight = converts;
  needs.float_outputs = false;
  needs.sums_dweight = true;
  return needs;
}

CcePlan plan_of(const CceNeeds& needs, std::int64_t threads) {
  CceTuning tuning;
  tuning.budget = cce_budget(threads);
  return plan_cce(needs, threads, tuning);
}

/// Bytes of tiles, sums for dhidden and exponentials, as call.h takes them.
std::int64_t bytes_of(const CcePlan& plan, const CceNeeds& needs) {
  const std::int64_t cell = 4 + (needs.operand == 4 ? 0 : needs.operand);
  std::int64_t tile = plan.tile_rows * plan.chunk * cell;
  if (needs.copies_weight) tile += plan.chunk * needs.H * needs.operand;
  if (needs.sums_dweight) tile += plan.chunk * needs.H * 4;
  return tile * plan.threads + plan.held_sums * std::min(plan.block_rows, needs.M) * needs.H * 4 +
         plan.rows_in_memory * needs.V * needs.operand;
}

template <class Check>
void for_each_plan(const Check& check) {
  for (const Size size : sizes)
    for (const CceNeeds& needs : {needs_of_floats(size), needs_of_halves(size, false), needs_of_halves(size, true)})
      for (std::int64_t threads = 1; threads <= 64; ++threads) {
        SCOPED_TRACE(testing::Message() << "N=" << size.N << " H=" << size.H << " operand=" << needs.operand
                                        << " float_outputs=" << needs.float_outputs << " threads=" << threads);
        check(plan_of(needs, threads), needs);
      }
}

TEST(CcePlan, GivesEachThreadWorkInTheFirstPass) {
  for_each_plan([](const CcePlan& plan, const CceNeeds& needs) {
    EXPECT_EQ(plan.row_groups * plan.vocab_groups, plan.threads);
    EXPECT_LE(plan.vocab_groups, plan.chunks) << "a group without entries would not set its sums";
    const std::int64_t enough = plan.vocab_groups > 1 ? std::min<std::int64_t>(needs.M, 1024) : 1;
    EXPECT_GE(plan.block_rows, enough) << "each block reads all of weight";
  });
}

TEST(CcePlan, FitsInTheBudget) {
  for_each_plan([](const CcePlan& plan, const CceNeeds& needs) {
    EXPECT_LE(bytes_of(plan, needs), cce_budget(plan.threads));
    EXPECT_GE(plan.tile_rows, 64) << "of few rows, products are slow";
  });
}

TEST(CcePlan, DividesEntriesAloneWhereTheSecondPassSumsDhidden) {
  CceNeeds needs = needs_of_floats({2048, 1024, 32000});
  needs.divides_tokens = false;
  const CcePlan plan = plan_of(needs, 16);
  EXPECT_EQ(plan.vocab_groups, 16);
  EXPECT_EQ(plan.row_groups, 1);
}

TEST(CceBudget, LeavesRoomForTheBuffersOfProductsUpToSixteenThreads) {
  EXPECT_EQ(cce_budget(2), 42 << 20);
  EXPECT_EQ(cce_budget(16), 35 << 20);
  EXPECT_EQ(cce_budget(64), 128 << 20);
}

}  // namespace
}  // namespace assay::metal::cpu
