// initcheck: reading what nobody wrote, and what counts as written.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "metal/emulator/memory/shadow.h"
#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

void copy(const abi::Invocation* call) {
  const std::uint32_t me = thread_in_grid(call);
  store(buffer(call, 1) + me, load(buffer(call, 0) + me));
}

TEST(Initcheck, ReportsABufferThatNobodyWrote) {
  Bench bench;
  bench.unwritten(10).unwritten(10);
  EXPECT_EQ(bench.run(&copy, {10}, {10}), std::nullopt);
  ASSERT_THAT(bench.reports(), SizeIs(1));
  const Report report = bench.reports()[0];
  EXPECT_EQ(report.check, Check::initcheck);
  EXPECT_EQ(report.address, "buffer(0) `b0` + 0");
  EXPECT_EQ(report.count, 10U);
}

TEST(Initcheck, TakesCreationWithContentsForAWrite) {
  Bench bench;
  bench.with(counting(10)).unwritten(10);
  bench.run(&copy, {10}, {10});
  EXPECT_THAT(bench.reports(), IsEmpty());
}

TEST(Initcheck, TakesDidModifyForAWriteOfItsRangeAlone) {
  Bench bench;
  bench.unwritten(10).unwritten(10);
  EXPECT_TRUE(bench.buffers[0]->did_modify(0, 36));
  bench.run(&copy, {10}, {10});
  ASSERT_THAT(bench.reports(), SizeIs(1));
  EXPECT_EQ(bench.reports()[0].address, "buffer(0) `b0` + 36");
  EXPECT_EQ(bench.reports()[0].count, 1U);
}

/// The host writes 3 of 10 words; the kernel reads all from where the buffer is bound.
TEST(Initcheck, KnowsWhichWordsAreWrittenWhereverTheBufferIsBound) {
  const auto first_report = [](std::uint64_t written_from, std::uint64_t bound_at) {
    Bench bench;
    bench.unwritten(10).unwritten(10);
    bench.offset = bound_at;
    EXPECT_TRUE(bench.buffers[0]->did_modify(written_from, 12));
    const auto count = static_cast<std::uint32_t>(10 - bound_at / 4);
    bench.run(&copy, {count}, {count});
    return bench.reports().empty() ? "" : fmt::format("{} x {}", bench.reports()[0].address, bench.reports()[0].count);
  };
  EXPECT_EQ(first_report(0, 0), "buffer(0) `b0` + 12 x 7");
  EXPECT_EQ(first_report(8, 8), "buffer(0) `b0` + 12 x 5");
  EXPECT_EQ(first_report(8, 12), "buffer(0) `b0` + 8 x 5");
  EXPECT_EQ(first_report(28, 28), "");
  EXPECT_EQ(first_report(28, 24), "buffer(0) `b0` + 0 x 1");
}

TEST(Initcheck, TakesAKernelsWriteForAWrite) {
  Bench bench;
  bench.with(counting(10)).unwritten(10);
  bench.run(&copy, {10}, {10});
  std::swap(bench.buffers[0], bench.buffers[1]);
  bench.run(&copy, {10}, {10});
  EXPECT_THAT(bench.reports(), IsEmpty());
}

TEST(Initcheck, JudgesBytes) {
  const auto reports = [](std::size_t read) {
    static std::size_t at;
    at = read;
    Bench bench;
    bench.unwritten(1);
    bench.run(
        [](const abi::Invocation* call) {
          store(buffer<std::int16_t>(call, 0) + 1, std::int16_t{1});
          load(buffer<std::int8_t>(call, 0) + at);
        },
        {1}, {1});
    return kinds(bench.reports());
  };
  EXPECT_EQ(reports(1), "initcheck");
  EXPECT_EQ(reports(2), "");
  EXPECT_EQ(reports(3), "");
}

TEST(Initcheck, ReportsAWordOfWhichAHalfIsWritten) {
  Bench bench;
  bench.unwritten(1);
  bench.run(
      [](const abi::Invocation* call) {
        store(buffer<std::int16_t>(call, 0), std::int16_t{1});
        load(buffer(call, 0));
      },
      {1}, {1});
  EXPECT_EQ(kinds(bench.reports()), "initcheck");
}

TEST(Initcheck, ReportsAnAtomicAddToWhatNobodyWrote) {
  const Entry add = [](const abi::Invocation* call) { atomic_add(buffer(call, 0), 1); };
  Bench bad;
  bad.unwritten(1).run(add, {4}, {4});
  EXPECT_EQ(kinds(bad.reports()), "initcheck");
  Bench good;
  good.with({0}).run(add, {4}, {4});
  EXPECT_EQ(kinds(good.reports()), "");
}

/// Group 0 writes its threadgroup memory; the others write it too, or read what group 0 left.
template <bool all_write>
void reuse(const abi::Invocation* call) {
  static const int key = 0;
  auto* const row = threadgroup_variable<std::int32_t>(&key, 32, "row");
  if (all_write || call->position->threadgroup_position_in_grid[0] == 0) store(row + thread_in_group(call), 1);
  store(buffer(call, 0) + thread_in_grid(call), load(row + thread_in_group(call)));
}

TEST(Initcheck, ForgetsThreadgroupMemoryBetweenGroups) {
  Bench good;
  good.with(zeros(96)).run(&reuse<true>, {96}, {32});
  EXPECT_THAT(good.reports(), IsEmpty());
  Bench bad;
  bad.with(zeros(96)).run(&reuse<false>, {96}, {32});
  ASSERT_THAT(bad.reports(), SizeIs(1));
  EXPECT_EQ(bad.reports()[0].address, "threadgroup variable `row` + 0");
  EXPECT_EQ(bad.reports()[0].event.thread.group.width, 1U);
  EXPECT_EQ(bad.ints(0)[40], -1) << "what is left must not look like a value";
}

TEST(Initcheck, DoesNotMissTheWritesOfAThreadThatAFaultHasEnded) {
  Bench bench;
  bench.with(counting(4)).unwritten(64);
  bench.run(
      [](const abi::Invocation* call) {
        const std::uint32_t me = thread_in_grid(call);
        store(buffer(call, 1) + me, load(buffer(call, 0) + me));
        threadgroup_barrier<__LINE__>(abi::mem_device);
        load(buffer(call, 1) + (me + 1) % 8);
      },
      {8}, {8});
  EXPECT_EQ(kinds(bench.reports()), "memcheck");
}

TEST(Initcheck, CanBeSwitchedOff) {
  EmulatorOptions options;
  options.checks.initcheck = false;
  Bench bench(options);
  bench.unwritten(10).unwritten(10);
  bench.run(&copy, {10}, {10});
  EXPECT_THAT(bench.reports(), IsEmpty());
}

TEST(HostWrites, JoinRanges) {
  HostWrites writes;
  writes.add(10, 20);
  writes.add(30, 40);
  EXPECT_EQ(writes.end_from(10), 20U);
  EXPECT_EQ(writes.end_from(9), 9U);
  EXPECT_EQ(writes.end_from(15), 20U);
  writes.add(20, 30);
  EXPECT_EQ(writes.end_from(10), 40U);
}

}  // namespace
}  // namespace assay::metal::emulator::test
