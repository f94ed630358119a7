// Work spread over threads: every piece once, in stages, and no call waits for a thread that has not begun.
#include "metal/cpu/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <set>
#include <thread>
#include <vector>

namespace assay::metal::cpu {
namespace {

TEST(Parallel, EachPieceIsDoneOnceByAWorkerThatThereIs) {
  for (const std::size_t workers : {1U, 2U, 3U, 8U})
    for (const std::size_t count : {0U, 1U, 5U, 1000U}) {
      std::vector<std::atomic<int>> done(count);
      std::atomic<bool> is_worker = true;
      for_each_piece(count, workers, [&](std::size_t worker, std::size_t i) {
        if (worker >= workers) is_worker = false;
        ++done[i];
      });
      EXPECT_TRUE(is_worker);
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(done[i], 1) << i << " of " << count << ", " << workers;
    }
}

TEST(Parallel, AStageBeginsWhenTheOnesBeforeAreDone) {
  std::atomic<std::size_t> first = 0, second = 0;
  std::atomic<bool> in_order = true;
  const Stage stages[] = {{100,
                           [&](std::size_t, std::size_t) {
                             ++first;
                             return true;
                           }},
                          {100,
                           [&](std::size_t, std::size_t i) {
                             if (first != 100) in_order = false;
                             ++second;
                             return i != 50;
                           }},
                          {100, [&](std::size_t, std::size_t) { return ADD_FAILURE(), true; }}};
  EXPECT_FALSE(in_stages(4, stages));
  EXPECT_TRUE(in_order);
  EXPECT_EQ(second, 100U);
  EXPECT_TRUE(in_stages(4, std::span(stages).first(1)));
}

TEST(Parallel, CallersAtTheSameTimeGetTheirOwnWorkDone) {
  std::vector<std::atomic<int>> done(4);
  std::vector<std::thread> callers;
  for (std::size_t c = 0; c < done.size(); ++c)
    callers.emplace_back([&done, c] {
      for (int call = 0; call < 100; ++call) for_each_piece(10, 3, [&](std::size_t, std::size_t) { ++done[c]; });
    });
  for (std::thread& caller : callers) caller.join();
  for (const auto& of_caller : done) EXPECT_EQ(of_caller, 1000);
}

/// In a process of its own, where no call has made threads or lost time.
void expect_in_a_new_process(bool (*holds)()) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(std::_Exit(holds() ? 0 : 1), testing::ExitedWithCode(0), "");
}

bool runs_alone_while_the_other_thread_is_busy() {
  std::latch begun(3), end(1);
  std::thread other_caller([&] {
    for_each_piece(2, 2, [&](std::size_t, std::size_t) {
      begun.arrive_and_wait();
      end.wait();
    });
  });
  begun.arrive_and_wait();
  std::set<std::size_t> workers;
  for_each_piece(100, 2, [&](std::size_t worker, std::size_t) { workers.insert(worker); });
  end.count_down();
  other_caller.join();
  return workers == std::set<std::size_t>{0};
}

// A call that waited for its other thread here would never end.
TEST(Parallel, ACallDoesNotWaitForAThreadThatHasNotBegun) {
  expect_in_a_new_process(runs_alone_while_the_other_thread_is_busy);
}

/// A call that waits so long for its other thread.
void lose(std::chrono::milliseconds time) {
  std::latch begun(2);
  for_each_piece(2, 2, [&](std::size_t worker, std::size_t) {
    begun.arrive_and_wait();
    if (worker == 1) std::this_thread::sleep_for(time);
  });
}

bool runs_alone_after_a_loss() {
  using namespace std::chrono_literals;
  lose(200ms);
  std::atomic<bool> is_alone = true;
  for_each_piece(2, 2, [&](std::size_t worker, std::size_t) {
    if (worker != 0) is_alone = false;
    std::this_thread::sleep_for(10ms);  // the other thread would begin
  });
  return is_alone;
}

TEST(Parallel, AfterACallThatWaitedLongForAThreadOthersDoWithoutForAWhile) {
  expect_in_a_new_process(runs_alone_after_a_loss);
}

/// The second call begins while callers do without other threads, and goes on for as long as none has begun.
bool is_shared_when_the_loss_is_over() {
  using namespace std::chrono_literals;
  lose(5ms);
  std::atomic<bool> is_shared = false;
  for_each_piece(60'000, 2, [&](std::size_t worker, std::size_t) {
    if (worker == 1) is_shared = true;
    if (!is_shared) std::this_thread::sleep_for(1ms);
  });
  return is_shared;
}

TEST(Parallel, ALongCallOffersItsWorkWhenTheLossIsOver) {
  expect_in_a_new_process(is_shared_when_the_loss_is_over);
}

// A forked child has none of the threads that this process made.
TEST(Parallel, AForkedChildDoesItsWork) {
  for_each_piece(100, 2, [](std::size_t, std::size_t) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> done = 0;
    for_each_piece(100, 2, [&](std::size_t, std::size_t) { ++done; });
    _exit(done == 100 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace assay::metal::cpu
