// Where threads are: whole and partial groups, along one axis and three.
#include <gtest/gtest.h>

#include "tests/emulator/bench.h"

namespace assay::metal::emulator::test {
namespace {

TEST(Grid, CountsGroupsUpwards) {
  const Grid grid({10, 5, 3}, {4, 2, 2});
  EXPECT_EQ(grid.groups(), (Size{3, 3, 2}));
  EXPECT_EQ(grid.extent_of(0), (Size{4, 2, 2}));
  EXPECT_EQ(grid.extent_of(17), (Size{2, 1, 1}));
  EXPECT_EQ(grid.position_of(17), (Size{2, 2, 1}));
}

TEST(Grid, PlacesAThreadOfAPartialGroup) {
  const Grid grid({10, 5}, {4, 2});
  const abi::Position position = grid.position(5, 3);  // the group at (2, 1): 2 x 2 threads
  EXPECT_EQ(position.thread_position_in_grid[0], 9U);
  EXPECT_EQ(position.thread_position_in_grid[1], 3U);
  EXPECT_EQ(position.thread_position_in_threadgroup[0], 1U);
  EXPECT_EQ(position.threads_per_threadgroup[0], 2U);
  EXPECT_EQ(position.dispatch_threads_per_threadgroup[0], 4U);
  EXPECT_EQ(position.threads_per_grid[0], 10U);
  EXPECT_EQ(position.thread_index_in_threadgroup, 3U);
  EXPECT_EQ(position.simdgroups_per_threadgroup, 1U);
}

/// Each thread of the grid writes its place once, and no other thread is there.
TEST(Grid, DispatchesEachThreadOnce) {
  Bench bench;
  bench.with(zeros(7 * 5 * 3));
  const auto error = bench.run(
      [](const abi::Invocation* call) {
        const auto& at = call->position->thread_position_in_grid;
        const auto& extent = call->position->threads_per_grid;
        std::int32_t* const cell = buffer(call, 0) + (at[2] * extent[1] + at[1]) * extent[0] + at[0];
        store(cell, load(cell) + 1);
      },
      {7, 5, 3}, {4, 4, 2});
  EXPECT_EQ(error, std::nullopt);
  for (const std::int32_t count : bench.ints(0)) EXPECT_EQ(count, 1);
  EXPECT_TRUE(bench.reports().empty());
}

TEST(Grid, ThreadgroupsAreWholeWhereTheyAreCounted) {
  EmulatorDevice device;
  Shader shader([](const abi::Invocation* call) {
    atomic_add(buffer(call, 0), static_cast<std::int32_t>(call->position->threads_per_threadgroup[0]));
  });
  const auto library = device.new_library(shader.shader);
  const auto pipeline = or_throw(device.new_pipeline(or_throw(library->new_function("kernel"))));
  const std::int32_t zero = 0;
  const auto buffer = or_throw(device.new_buffer(std::as_bytes(std::span(&zero, 1)), ""));
  const auto commands = device.new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(pipeline);
  encoder->set_buffer(buffer, 0, 0);
  encoder->dispatch_threadgroups({3}, {10});
  EXPECT_TRUE(encoder->end_encoding());
  EXPECT_TRUE(commands->commit());
  EXPECT_TRUE(commands->wait_until_completed());
  EXPECT_EQ(*reinterpret_cast<std::int32_t*>(buffer->contents()), 300);
}

TEST(ChosenGroups, AreEachTakenOnceInRisingOrder) {
  const auto chosen = [](std::vector<GroupRange> ranges) {
    const ChosenGroups groups(10, std::move(ranges));
    std::vector<std::uint64_t> all;
    for (std::uint64_t n = 0; n < groups.count(); ++n) all.push_back(groups[n]);
    return all;
  };
  using Numbers = std::vector<std::uint64_t>;
  EXPECT_EQ(chosen({}).size(), 10U);
  EXPECT_EQ(chosen({{GroupRange::end_of_grid, GroupRange::end_of_grid}, {0, 0}}), (Numbers{0, 9}));
  EXPECT_EQ(chosen({{4, 6}, {5, 7}, {2, 2}}), (Numbers{2, 4, 5, 6, 7}));
  EXPECT_EQ(chosen({{8, 100}, {50, 60}}), (Numbers{8, 9}));
}

}  // namespace
}  // namespace assay::metal::emulator::test
