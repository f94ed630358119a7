// racecheck: each race beside the same accesses with an order between them.
#include <gtest/gtest.h>

#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

/// The check that reports, which must be the same in every order of threads.
std::string found(Entry entry, Size grid, Size group, DispatchType type = DispatchType::serial, int dispatches = 1) {
  std::string kinds_found;
  for (const ThreadOrder order : {ThreadOrder::forward, ThreadOrder::reverse, ThreadOrder::random}) {
    EmulatorOptions options;
    options.order = order;
    Bench bench(options);
    bench.with(zeros(2048)).with(zeros(2048)).with_threadgroup_memory(8192);
    bench.type = type;
    bench.dispatches = dispatches;
    bench.run(entry, grid, group);
    const std::string kind = bench.reports().empty() ? "" : to_string(bench.reports()[0].check);
    if (order == ThreadOrder::forward) kinds_found = kind;
    EXPECT_EQ(kind, kinds_found);
  }
  return kinds_found;
}

constexpr std::uint32_t flags_of[] = {abi::mem_none, abi::mem_device, abi::mem_threadgroup,
                                      abi::mem_device | abi::mem_threadgroup};

/// Each thread writes its cell and reads its neighbour's behind a barrier, in device or threadgroup memory.
template <bool in_threadgroup_memory, std::uint32_t flags>
void neighbours(const abi::Invocation* call) {
  auto* const row = in_threadgroup_memory ? static_cast<std::int32_t*>(call->threadgroup[0]) : buffer(call, 0);
  const std::uint32_t me = thread_in_group(call);
  store(row + me, 1);
  threadgroup_barrier<__LINE__>(flags);
  store(buffer(call, 1) + me, load(row + (me + 1) % call->position->threads_per_threadgroup[0]));
}

TEST(Racecheck, HoldsABarrierToTheMemoryThatItCovers) {
  EXPECT_EQ(found(&neighbours<false, flags_of[0]>, {64}, {64}), "racecheck");
  EXPECT_EQ(found(&neighbours<false, flags_of[1]>, {64}, {64}), "");
  EXPECT_EQ(found(&neighbours<false, flags_of[2]>, {64}, {64}), "racecheck");
  EXPECT_EQ(found(&neighbours<false, flags_of[3]>, {64}, {64}), "");
  EXPECT_EQ(found(&neighbours<true, flags_of[0]>, {64}, {64}), "racecheck");
  EXPECT_EQ(found(&neighbours<true, flags_of[1]>, {64}, {64}), "racecheck");
  EXPECT_EQ(found(&neighbours<true, flags_of[2]>, {64}, {64}), "");
  EXPECT_EQ(found(&neighbours<true, flags_of[3]>, {64}, {64}), "");
}

/// The same with neighbours of one simdgroup, or of two.
template <std::uint32_t flags, bool across>
void simd_neighbours(const abi::Invocation* call) {
  const std::uint32_t me = thread_in_group(call);
  store(buffer(call, 0) + me, 1);
  simdgroup_barrier<__LINE__>(flags);
  const std::uint32_t other = across ? (me + 32) % 64 : me / 32 * 32 + (me + 1) % 32;
  store(buffer(call, 1) + me, load(buffer(call, 0) + other));
}

TEST(Racecheck, HoldsASimdgroupBarrierToItsSimdgroup) {
  EXPECT_EQ(found(&simd_neighbours<abi::mem_device, false>, {64}, {64}), "");
  EXPECT_EQ(found(&simd_neighbours<abi::mem_threadgroup, false>, {64}, {64}), "racecheck");
  EXPECT_EQ(found(&simd_neighbours<abi::mem_none, false>, {64}, {64}), "racecheck");
  EXPECT_EQ(found(&simd_neighbours<abi::mem_device, true>, {64}, {64}), "racecheck");
}

/// Everybody reads cell 0, then thread 7 writes it.
template <bool with_barrier>
void read_then_write(const abi::Invocation* call) {
  const std::int32_t seen = load(buffer(call, 0));
  if (with_barrier) threadgroup_barrier<__LINE__>(abi::mem_device);
  if (thread_in_group(call) == 7) store(buffer(call, 0), seen + 1);
}

TEST(Racecheck, KnowsTheReadersOfWhatIsWritten) {
  EXPECT_EQ(found(&read_then_write<true>, {64}, {64}), "");
  EXPECT_EQ(found(&read_then_write<false>, {64}, {64}), "racecheck");
}

/// The reader is of one simdgroup; a barrier of the writer's own does not order them.
void read_elsewhere(const abi::Invocation* call) {
  const std::uint32_t me = thread_in_group(call);
  if (me == 0 || me == 1 || me == 40) load(buffer(call, 0));
  simdgroup_barrier<__LINE__>(abi::mem_device);
  if (me == 2) store(buffer(call, 0), 1);
}

TEST(Racecheck, RemembersAReaderOfAnotherSimdgroup) {
  EXPECT_EQ(found(&read_elsewhere, {64}, {64}), "racecheck");
}

TEST(Racecheck, ReportsWritesOfTheSameCell) {
  EXPECT_EQ(found([](const abi::Invocation* call) { store(buffer(call, 0), 1); }, {2}, {2}), "racecheck");
  EXPECT_EQ(found([](const abi::Invocation* call) { store(buffer(call, 0), 1); }, {1}, {1}), "");
  EXPECT_EQ(found([](const abi::Invocation* call) { load(buffer(call, 0)); }, {64}, {64}), "");
}

TEST(Racecheck, AtomicsDoNotRaceWithAtomicsOnly) {
  EXPECT_EQ(found([](const abi::Invocation* call) { atomic_add(buffer(call, 0), 1); }, {64}, {16}), "");
  EXPECT_EQ(found(
                [](const abi::Invocation* call) {
                  atomic_add(buffer(call, 0), 1);
                  atomic_load(buffer(call, 0));
                },
                {64}, {16}),
            "");
  EXPECT_EQ(found(
                [](const abi::Invocation* call) {
                  if (thread_in_group(call) == 0)
                    load(buffer(call, 0));
                  else
                    atomic_add(buffer(call, 0), 1);
                },
                {16}, {16}),
            "racecheck");
}

/// The last thread of a group writes; the first of the next reads or writes.
template <bool barrier>
void across_groups(const abi::Invocation* call) {
  const std::uint32_t group = call->position->threadgroup_position_in_grid[0];
  if (group == 0 && thread_in_group(call) == 15) store(buffer(call, 0), 1);
  if (barrier) threadgroup_barrier<__LINE__>(abi::mem_device | abi::mem_threadgroup);
  if (group == 1 && thread_in_group(call) == 0) load(buffer(call, 0));
}

TEST(Racecheck, NothingOrdersThreadgroups) {
  EXPECT_EQ(found(&across_groups<false>, {32}, {16}), "racecheck");
  EXPECT_EQ(found(&across_groups<true>, {32}, {16}), "racecheck");
  EXPECT_EQ(found(&across_groups<false>, {16}, {16}), "");
}

TEST(Racecheck, ThreadgroupMemoryIsEachGroupsOwn) {
  EXPECT_EQ(
      found([](const abi::Invocation* call) { store(static_cast<std::int32_t*>(call->threadgroup[0]), 1); }, {4}, {1}),
      "");
}

TEST(Racecheck, OrdersDispatchesUnlessTheyAreConcurrent) {
  const Entry shift = [](const abi::Invocation* call) {
    const std::uint32_t me = thread_in_grid(call);
    store(buffer(call, 0) + me, 1);
  };
  EXPECT_EQ(found(shift, {16}, {16}, DispatchType::serial, 2), "");
  EXPECT_EQ(found(shift, {16}, {16}, DispatchType::concurrent, 1), "");
  EXPECT_EQ(found(shift, {16}, {16}, DispatchType::concurrent, 2), "racecheck");
}

TEST(Racecheck, TellsNeighbouringBytesApart) {
  EXPECT_EQ(found(
                [](const abi::Invocation* call) {
                  store(buffer<std::int16_t>(call, 0) + thread_in_grid(call), std::int16_t{1});
                },
                {64}, {64}),
            "");
  EXPECT_EQ(found(
                [](const abi::Invocation* call) {
                  store(buffer<std::int16_t>(call, 0) + thread_in_grid(call), std::int16_t{1});
                  load(buffer<std::int8_t>(call, 0) + 3);
                },
                {64}, {64}),
            "racecheck");
}

TEST(Racecheck, NamesBothThreadsAndTheAddress) {
  Bench bench;
  bench.with(zeros(64)).with(zeros(64));
  bench.run(&neighbours<false, abi::mem_none>, {64}, {64});
  ASSERT_THAT(bench.reports(), SizeIs(1));
  const Report report = bench.reports()[0];
  EXPECT_EQ(report.address, "buffer(0) `b0` + 4");
  EXPECT_EQ(report.event.action, "read of 4 bytes");
  EXPECT_EQ(report.event.thread.in_grid.width, 0U);
  ASSERT_TRUE(report.other);
  EXPECT_EQ(report.other->action, "earlier write");
  EXPECT_EQ(report.other->thread.in_grid.width, 1U);
  EXPECT_EQ(report.count, 64U);
}

/// Every thread writes cell 0: its own number, then 9. So the first write is never of the value that is there.
void write_twice(const abi::Invocation* call) {
  store(buffer(call, 0), static_cast<std::int32_t>(thread_in_group(call)));
  store(buffer(call, 0), 9);
}

TEST(Racecheck, SaysWhetherBothWriteTheSameValue) {
  const auto messages = [](Entry entry) {
    Bench bench;
    bench.with(zeros(4));
    bench.run(entry, {64}, {64});
    std::vector<std::string> all;
    for (const Report& report : bench.reports()) all.push_back(report.message);
    return all;
  };
  EXPECT_THAT(messages(&write_twice), Not(Contains(HasSubstr("same value"))));
  EXPECT_THAT(messages([](const abi::Invocation* call) { store(buffer(call, 0), 7); }),
              ElementsAre(EndsWith("; both write the same value")));
  EXPECT_THAT(messages([](const abi::Invocation* call) {
                store(buffer(call, 0), static_cast<std::int32_t>(thread_in_group(call) / 63));
              }),
              ElementsAre(Not(HasSubstr("same value"))));
}

TEST(Racecheck, SaysThatABarrierDoesNotCoverTheMemory) {
  const auto report = [](Entry entry) {
    Bench bench;
    bench.with(zeros(64)).with(zeros(64)).with_threadgroup_memory(256);
    bench.run(entry, {64}, {64});
    EXPECT_FALSE(bench.reports().empty());
    return bench.reports().empty() ? Report() : bench.reports()[0];
  };
  const Report none = report(&neighbours<true, abi::mem_none>);
  EXPECT_THAT(none.message, EndsWith("has mem_flags::mem_none, which does not cover threadgroup memory"));
  EXPECT_EQ(none.advice, "give that barrier mem_flags::mem_threadgroup");
  EXPECT_THAT(report(&neighbours<false, abi::mem_threadgroup>).message,
              EndsWith("has mem_flags::mem_threadgroup, which does not cover device memory"));
  EXPECT_THAT(report(&simd_neighbours<abi::mem_none, false>).message, HasSubstr("has mem_flags::mem_none"));
  EXPECT_THAT(report(&simd_neighbours<abi::mem_none, true>).message, HasSubstr("no barrier that covers it"));
  EXPECT_THAT(report(&read_then_write<false>).message, HasSubstr("no barrier that covers it"));
}

TEST(Racecheck, CanBeSwitchedOff) {
  EmulatorOptions options;
  options.checks.racecheck = false;
  Bench bench(options);
  bench.with(zeros(64)).with(zeros(64));
  bench.run(&neighbours<false, abi::mem_none>, {64}, {64});
  EXPECT_THAT(bench.reports(), IsEmpty());
}

}  // namespace
}  // namespace assay::metal::emulator::test
