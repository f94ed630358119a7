// The clock of the checks and the traces with its times: near the clock's end, and when a new clock begins.
#include <gtest/gtest.h>

#include <vector>

#include "metal/emulator/check/clock.h"
#include "metal/emulator/memory/shadow.h"

namespace assay::metal::emulator::test {
namespace {

Trace by(std::uint32_t thread, const Clock& clock) {
  return {clock.now(), thread, nullptr, false};
}

TEST(Clock, OrdersByTheBarrierThatCoversTheMemory) {
  Clock clock;
  clock.begin_sequence();
  clock.begin_group();
  const Trace before = by(1, clock);
  EXPECT_TRUE(clock.of(abi::mem_device).overlaps(before, 2));
  EXPECT_FALSE(clock.of(abi::mem_device).overlaps(before, 1));
  clock.pass_threadgroup_barrier(abi::mem_device);
  EXPECT_FALSE(clock.of(abi::mem_device).overlaps(before, 2));
  EXPECT_TRUE(clock.of(abi::mem_threadgroup).overlaps(before, 2));
  clock.begin_group();
  EXPECT_TRUE(clock.of(abi::mem_device).overlaps(before, 1)) << "of another group";
  clock.begin_sequence();
  clock.begin_group();
  EXPECT_FALSE(clock.of(abi::mem_device).overlaps(before, 2));
}

TEST(Clock, StopsInsteadOfBeginningAnew) {
  Clock clock(Clock::last - 2);
  EXPECT_TRUE(clock.is_near_end());
  EXPECT_FALSE(clock.has_stopped());
  clock.begin_sequence();
  clock.begin_group();
  EXPECT_TRUE(clock.has_stopped());
  clock.pass_threadgroup_barrier(abi::mem_device);
  EXPECT_EQ(clock.now(), Clock::last);
  EXPECT_FALSE(Clock().is_near_end());
}

TEST(Trace, HoldsAllOfAnAccess) {
  const auto* const begin = reinterpret_cast<const std::byte*>(0x7f0012345000);
  for (const std::ptrdiff_t offset : {0, 1, 0xfffff}) {
    Trace trace(Clock::last, 1023, begin + offset, offset == 1);
    trace.mark();
    EXPECT_EQ(trace.time(), Clock::last);
    EXPECT_EQ(trace.thread(), 1023U);
    EXPECT_EQ(trace.pc(begin), begin + offset);
    EXPECT_EQ(trace.is_atomic(), offset == 1);
    trace.become(Trace(5, 6, begin, false));
    EXPECT_EQ(trace.time(), 5U);
    EXPECT_EQ(trace.thread(), 6U);
    EXPECT_TRUE(trace.is_marked());
  }
}

TEST(Shadow, ForgetsTimesButNotWhatWasWritten) {
  Shadow shadow(12);
  shadow.prepare();
  const Trace late(Clock::last - 1, 7, nullptr, false);
  const auto write = [&](Cell cell, std::uint64_t, std::uint64_t) { cell.write.become(late), cell.read.become(late); };
  shadow.for_each_cell(0, 6, write);  // a word, and half of the next
  shadow.forget_times();
  std::vector<std::uint32_t> written, read;
  shadow.for_each_cell(0, 12, [&](Cell cell, std::uint64_t, std::uint64_t) {
    written.push_back(cell.write.time());
    read.push_back(cell.read.time());
  });
  EXPECT_EQ(written, (std::vector<std::uint32_t>{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(read, std::vector<std::uint32_t>(6, 0));
}

}  // namespace
}  // namespace assay::metal::emulator::test
