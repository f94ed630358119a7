// Barriers and collectives: which threads wait for each other and which lanes take part, in every order of threads.
#include <gtest/gtest.h>

#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

/// Runs a test in each order of threads.
class Orders : public testing::TestWithParam<ThreadOrder> {
 protected:
  static EmulatorOptions options() {
    EmulatorOptions options;
    options.order = GetParam();
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Orders, testing::Values(ThreadOrder::forward, ThreadOrder::reverse, ThreadOrder::random));

TEST_P(Orders, BarrierHandsOverThreadgroupMemory) {
  Bench bench(options());
  bench.with(zeros(200)).with_threadgroup_memory(400);
  const auto error = bench.run(
      [](const abi::Invocation* call) {
        auto* const shared = static_cast<std::int32_t*>(call->threadgroup[0]);
        const std::uint32_t me = thread_in_group(call), last = call->position->threads_per_threadgroup[0] - 1;
        store(&shared[me], static_cast<std::int32_t>(thread_in_grid(call)));
        threadgroup_barrier<__LINE__>(abi::mem_threadgroup);
        store(&buffer(call, 0)[thread_in_grid(call)], load(&shared[last - me]));
      },
      {200}, {100});
  EXPECT_EQ(error, std::nullopt);
  EXPECT_THAT(bench.reports(), testing::IsEmpty());
  EXPECT_EQ(bench.ints(0)[0], 99);
  EXPECT_EQ(bench.ints(0)[199], 100);
}

TEST_P(Orders, SumOverASimdgroupAndAPartOfOne) {
  Bench bench(options());
  bench.with(zeros(40));
  bench.run(
      [](const abi::Invocation* call) {
        const Sum sum = simd_sum<__LINE__>(1);
        store(&buffer(call, 0)[thread_in_grid(call)], sum.sum);
      },
      {40}, {40});
  EXPECT_THAT(bench.ints(0).first(32), Each(32));
  EXPECT_THAT(bench.ints(0).subspan(32), Each(8));
}

TEST_P(Orders, CollectivesUnderDivergenceAreAmongTheActiveLanes) {
  Bench bench(options());
  bench.with(zeros(32)).with(zeros(32));
  bench.run(
      [](const abi::Invocation* call) {
        const std::uint32_t me = thread_in_grid(call);
        const Sum sum = me < 12 ? simd_sum<__LINE__>(1) : simd_sum<__LINE__ + 1>(100);
        store(&buffer(call, 0)[me], sum.sum);
        store(&buffer(call, 1)[me], static_cast<std::int32_t>(sum.lane));
      },
      {32}, {32});
  EXPECT_THAT(bench.ints(0).first(12), Each(12));
  EXPECT_THAT(bench.ints(0).subspan(12), Each(2000));
  EXPECT_THAT(bench.ints(1), testing::ElementsAreArray(counting(32)));
}

TEST_P(Orders, LanesThatLeftALoopWaitForTheOthersBehindIt) {
  Bench bench(options());
  bench.with(zeros(32)).with(zeros(32));
  bench.run(
      [](const abi::Invocation* call) {
        const auto me = static_cast<std::int32_t>(thread_in_grid(call));
        std::int32_t inside = 0;
        for (std::int32_t round = 0; round < me; ++round) inside += simd_sum<1>(1).sum;
        store(&buffer(call, 0)[me], inside);
        store(&buffer(call, 1)[me], simd_sum<2>(1).sum);
      },
      {32}, {32});
  EXPECT_EQ(bench.ints(0)[1], 31);
  EXPECT_EQ(bench.ints(0)[2], 31 + 30);
  EXPECT_THAT(bench.ints(1), Each(32));
}

TEST_P(Orders, CollectivesRunFirstIfOtherLanesWaitAtABarrier) {
  Bench bench(options());
  bench.with(zeros(64));
  const auto error = bench.run(
      [](const abi::Invocation* call) {
        const std::uint32_t me = thread_in_grid(call);
        std::int32_t sum = 0;
        if (me % 32 < 3) sum = simd_sum<__LINE__>(1).sum;
        threadgroup_barrier<__LINE__>(abi::mem_none);
        store(&buffer(call, 0)[me], sum);
      },
      {64}, {64});
  EXPECT_EQ(error, std::nullopt);
  EXPECT_EQ(bench.ints(0)[33], 3);
  EXPECT_EQ(bench.ints(0)[40], 0);
}

TEST_P(Orders, FinishedLanesAreNotActive) {
  Bench bench(options());
  bench.with(zeros(32));
  bench.run(
      [](const abi::Invocation* call) {
        if (thread_in_grid(call) >= 20) return;
        const Sum sum = simd_sum<__LINE__>(1);
        store(&buffer(call, 0)[thread_in_grid(call)], static_cast<std::int32_t>(sum.active));
      },
      {32}, {32});
  EXPECT_EQ(bench.ints(0)[0], (1 << 20) - 1);
  EXPECT_EQ(bench.ints(0)[20], 0);
  EXPECT_THAT(bench.reports(), testing::IsEmpty());
}

TEST_P(Orders, CollectivesOfAQuadgroupAreAmongFourLanes) {
  Bench bench(options());
  bench.with(zeros(32));
  bench.run(
      [](const abi::Invocation* call) {
        const auto me = static_cast<std::int32_t>(thread_in_grid(call));
        const Sum sum = simd_sum<__LINE__>(me, abi::Scope::quadgroup);
        store(&buffer(call, 0)[me], sum.sum * 100 + static_cast<std::int32_t>(sum.active * 10 + sum.lane));
      },
      {32}, {32});
  EXPECT_EQ(bench.ints(0)[0], 6 * 100 + 150 + 0);
  EXPECT_EQ(bench.ints(0)[7], 22 * 100 + 150 + 3);
}

TEST(Order, OfThreadsShowsInAKernelThatDependsOnIt) {
  const auto first_of = [](ThreadOrder order) {
    EmulatorOptions options;
    options.order = order;
    options.checks.racecheck = false;
    Bench bench(options);
    bench.with({-1});
    bench.run(
        [](const abi::Invocation* call) {
          if (load(buffer(call, 0)) == -1) store(buffer(call, 0), static_cast<std::int32_t>(thread_in_grid(call)));
        },
        {64}, {64});
    return bench.ints(0)[0];
  };
  EXPECT_EQ(first_of(ThreadOrder::forward), 0);
  EXPECT_EQ(first_of(ThreadOrder::reverse), 63);
  EXPECT_NE(first_of(ThreadOrder::random), 0);
}

}  // namespace
}  // namespace assay::metal::emulator::test
