// Fibers and their order, without any device.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "metal/emulator/simt/order.h"
#include "metal/emulator/simt/scheduler.h"

namespace assay::metal::emulator {
namespace {

/// Runs one function as every thread.
class Threads {
 public:
  using Run = std::function<void(Scheduler&, std::uint32_t)>;

  Scheduler::End run(std::uint32_t count, const Run& body) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    body_ = &body;
    scheduler_.move_here();
    return scheduler_.run(order, &enter, this);
  }

 private:
  static void enter(void* self, std::uint32_t thread) {
    auto& threads = *static_cast<Threads*>(self);
    (*threads.body_)(threads.scheduler_, thread);
  }

  Scheduler scheduler_;
  const Run* body_ = nullptr;
};

TEST(Scheduler, RunsEveryThreadOnce) {
  Threads threads;
  std::vector<std::uint32_t> seen;
  EXPECT_EQ(threads.run(1024, [&](Scheduler&, std::uint32_t thread) { seen.push_back(thread); }),
            Scheduler::End::all_ended);
  ASSERT_EQ(seen.size(), 1024U);
  EXPECT_EQ(seen[1023], 1023U);
}

TEST(Scheduler, PausesAThreadAndGoesOnWithAnother) {
  std::vector<std::uint32_t> ran;
  struct Paused {
    Scheduler scheduler;
    std::vector<std::uint32_t>& ran;
  } paused{{}, ran};
  const std::vector<std::uint32_t> order = {0, 1, 2, 3};
  paused.scheduler.move_here();
  paused.scheduler.begin(
      order,
      [](void* context, std::uint32_t thread) {
        auto& here = *static_cast<Paused*>(context);
        here.scheduler.pause();
        here.ran.push_back(thread);
      },
      &paused);
  EXPECT_EQ(paused.scheduler.go_on(2), Scheduler::End::paused);
  EXPECT_EQ(paused.scheduler.go_on(1), Scheduler::End::paused);
  EXPECT_EQ(paused.scheduler.ready_count(), 4U);
  EXPECT_TRUE(paused.scheduler.is_ready(2));
  EXPECT_EQ(paused.scheduler.go_on(2), Scheduler::End::paused);  // 2 ends, 1 goes on and ends, 0 pauses
  EXPECT_EQ(ran, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_FALSE(paused.scheduler.is_ready(2));
  EXPECT_EQ(paused.scheduler.go_on(), Scheduler::End::paused);
  EXPECT_EQ(paused.scheduler.go_on(), Scheduler::End::all_ended);
  EXPECT_EQ(ran, (std::vector<std::uint32_t>{2, 1, 0, 3}));
}

TEST(Scheduler, KeepsTheStackOfAWaitingThread) {
  Threads threads;
  std::vector<std::uint32_t> waiting, after;
  const auto body = [&](Scheduler& scheduler, std::uint32_t thread) {
    std::array<std::uint32_t, 500> mine{};
    mine.fill(thread);
    waiting.push_back(thread);
    if (waiting.size() == 300) scheduler.make_ready(waiting);
    scheduler.wait();
    EXPECT_EQ(scheduler.current(), thread);
    for (const std::uint32_t value : mine) ASSERT_EQ(value, thread);
    after.push_back(thread);
  };
  for (int round = 0; round < 3; ++round) {
    waiting.clear();
    after.clear();
    ASSERT_EQ(threads.run(300, body), Scheduler::End::all_ended);
    ASSERT_EQ(after, waiting);
  }
}

TEST(Scheduler, TellsWhenAllWait) {
  Threads threads;
  EXPECT_EQ(threads.run(5, [](Scheduler& scheduler, std::uint32_t) { scheduler.wait(); }), Scheduler::End::stuck);
  EXPECT_EQ(threads.run(5, [](Scheduler&, std::uint32_t) {}), Scheduler::End::all_ended);
}

TEST(Scheduler, EndsAThreadWhereItIs) {
  Threads threads;
  int ended = 0;
  const auto body = [&](Scheduler& scheduler, std::uint32_t thread) {
    if (thread % 3 == 0) scheduler.end_current();
    ++ended;
  };
  for (int round = 0; round < 3; ++round) EXPECT_EQ(threads.run(9, body), Scheduler::End::all_ended);
  EXPECT_EQ(ended, 18);
}

TEST(Scheduler, StopsAll) {
  Threads threads;
  int begun = 0;
  const auto body = [&](Scheduler& scheduler, std::uint32_t thread) {
    ++begun;
    if (thread == 3) scheduler.stop();
    scheduler.wait();
  };
  EXPECT_EQ(threads.run(9, body), Scheduler::End::stopped);
  EXPECT_EQ(begun, 4);
}

TEST(Order, IsForwardReverseOrAPermutationThatChanges) {
  EXPECT_EQ(Order(ThreadOrder::forward).of(3)[0], 0U);
  EXPECT_EQ(Order(ThreadOrder::reverse).of(3)[0], 2U);
  Order random(ThreadOrder::random, 7);
  const auto drawn = random.of(100);
  std::vector<std::uint32_t> first(drawn.begin(), drawn.end());
  const auto again = random.of(100);
  EXPECT_FALSE(std::ranges::equal(first, again));
  std::ranges::sort(first);
  EXPECT_EQ(first.back(), 99U);
  EXPECT_EQ(std::ranges::unique(first).size(), 0U);
}

}  // namespace
}  // namespace assay::metal::emulator
