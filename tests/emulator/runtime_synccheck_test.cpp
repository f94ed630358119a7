// synccheck: barriers that not all threads reach, and endless loops. Nothing may hang.
#include <gtest/gtest.h>

#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

constexpr const char* timeout = "Caused GPU Timeout Error (00000002:kIOGPUCommandBufferCallbackErrorTimeout)";

/// The threads from `leaving` on return before the barrier.
template <std::uint32_t leaving>
void leave_early(const abi::Invocation* call) {
  if (thread_in_grid(call) >= leaving) return;
  threadgroup_barrier<10>(abi::mem_none);
  store(buffer(call, 0) + thread_in_grid(call), 1);
}

TEST(Synccheck, ReportsThreadsThatLeaveBeforeABarrier) {
  Bench good;
  EXPECT_EQ(good.with(zeros(64)).run(&leave_early<64>, {64}, {64}), std::nullopt);
  EXPECT_THAT(good.reports(), IsEmpty());
  Bench bad;
  EXPECT_EQ(bad.with(zeros(64)).run(&leave_early<50>, {64}, {64}), std::nullopt);
  ASSERT_THAT(bad.reports(), SizeIs(1));
  const Report report = bad.reports()[0];
  EXPECT_EQ(report.check, Check::synccheck);
  EXPECT_EQ(report.event.position, (SourcePosition{"kernel.metal", 10, 3}));
  ASSERT_TRUE(report.other);
  EXPECT_EQ(report.other->thread.in_grid.width, 50U);
  EXPECT_EQ(report.other->position, (SourcePosition{"kernel.metal", 1, 1})) << "of a thread that ended: its kernel";
  EXPECT_EQ(bad.ints(0)[49], 1) << "the others go on";
}

TEST(Synccheck, WholeGroupsMayLeave) {
  Bench bench;
  bench.with(zeros(64)).run(&leave_early<32>, {64}, {32});
  EXPECT_THAT(bench.reports(), IsEmpty());
}

template <bool apart>
void branches(const abi::Invocation* call) {
  if (thread_in_grid(call) % 2 == 0 || !apart)
    threadgroup_barrier<20>(abi::mem_none);
  else
    threadgroup_barrier<22>(abi::mem_none);
  store(buffer(call, 0) + thread_in_grid(call), 1);
}

TEST(Synccheck, ReportsDifferentBarriersAndStops) {
  Bench good;
  EXPECT_EQ(good.with(zeros(64)).run(&branches<false>, {64}, {64}), std::nullopt);
  EXPECT_THAT(good.reports(), IsEmpty());
  Bench bad;
  const auto error = bad.with(zeros(64)).run(&branches<true>, {64}, {64});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->text, timeout);
  ASSERT_THAT(bad.reports(), SizeIs(1));
  EXPECT_EQ(bad.reports()[0].event.position.line, 20U);
  ASSERT_TRUE(bad.reports()[0].other);
  EXPECT_EQ(bad.reports()[0].other->position.line, 22U);
  EXPECT_EQ(bad.ints(0)[0], 0);
}

template <bool uneven>
void rounds(const abi::Invocation* call) {
  const std::uint32_t count = uneven ? 2 + thread_in_grid(call) % 2 : 2;
  for (std::uint32_t round = 0; round < count; ++round) threadgroup_barrier<30>(abi::mem_none);
}

TEST(Synccheck, ReportsDifferentNumbersOfRounds) {
  Bench good;
  good.run(&rounds<false>, {64}, {64});
  EXPECT_THAT(good.reports(), IsEmpty());
  Bench bad;
  bad.run(&rounds<true>, {64}, {64});
  EXPECT_EQ(kinds(bad.reports()), "synccheck");
}

template <bool skip>
void simd_skip(const abi::Invocation* call) {
  if (!skip || thread_in_grid(call) < 16) simdgroup_barrier<40>(abi::mem_none);
  threadgroup_barrier<41>(abi::mem_none);
}

TEST(Synccheck, ReportsASimdgroupBarrierThatLanesSkip) {
  Bench good;
  good.run(&simd_skip<false>, {64}, {64});
  EXPECT_THAT(good.reports(), IsEmpty());
  Bench bad;
  EXPECT_TRUE(bad.run(&simd_skip<true>, {64}, {64}));
  ASSERT_THAT(bad.reports(), SizeIs(1));
  EXPECT_EQ(bad.reports()[0].event.position.line, 40U);
  EXPECT_EQ(bad.reports()[0].other->position.line, 41U);
}

TEST(Synccheck, SimdgroupsMayBranchApart) {
  Bench bench;
  bench.run(
      [](const abi::Invocation* call) {
        if (thread_in_grid(call) < 32)
          simdgroup_barrier<50>(abi::mem_none);
        else
          simdgroup_barrier<52>(abi::mem_none);
      },
      {64}, {64});
  EXPECT_THAT(bench.reports(), IsEmpty());
}

TEST(Synccheck, DoesNotMissAThreadThatAFaultHasEnded) {
  Bench bench;
  bench.with(zeros(32));
  bench.run(
      [](const abi::Invocation* call) {
        const std::uint32_t me = thread_in_grid(call);
        load(buffer(call, 0) + (me == 3 ? 1000 : me));
        threadgroup_barrier<__LINE__>(abi::mem_none);
      },
      {32}, {32});
  EXPECT_EQ(kinds(bench.reports()), "memcheck");
}

TEST(Synccheck, EndsAnEndlessLoop) {
  EmulatorOptions options;
  options.step_limit = 10000;
  Bench spinning(options), waiting(options), finite(options);
  const auto error = spinning.with({0}).run(
      [](const abi::Invocation* call) {
        while (atomic_load(buffer(call, 0)) == 0) {
        }
      },
      {1}, {1});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->text, timeout);
  ASSERT_THAT(spinning.reports(), SizeIs(1));
  EXPECT_THAT(spinning.reports()[0].message, HasSubstr("endless"));

  EXPECT_TRUE(waiting.run(
      [](const abi::Invocation*) {
        while (true) threadgroup_barrier<60>(abi::mem_none);
      },
      {8}, {8}));
  EXPECT_EQ(kinds(waiting.reports()), "synccheck");

  EXPECT_FALSE(finite.with({0}).run(
      [](const abi::Invocation* call) {
        for (int round = 0; round < 9999; ++round) atomic_load(buffer(call, 0));
      },
      {1}, {1}));
  EXPECT_THAT(finite.reports(), IsEmpty());
}

TEST(Synccheck, ReportsInUncheckedKernelsToo) {
  EmulatorOptions options;
  options.is_checked = false;
  Bench bench(options);
  bench.with(zeros(256));
  Shader shader(
      [](const abi::Invocation* call) {
        if (thread_in_grid(call) % 2 == 0)
          threadgroup_barrier<20>(abi::mem_none);
        else
          threadgroup_barrier<22>(abi::mem_none);
      },
      false);
  EXPECT_TRUE(bench.run(shader, {256}, {64}));
  EXPECT_EQ(kinds(bench.reports()), "synccheck");
}

}  // namespace
}  // namespace assay::metal::emulator::test
