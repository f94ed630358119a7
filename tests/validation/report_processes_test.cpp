// A run in several processes records what one process does, whatever becomes of the processes.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/validation/counting_run.h"
#include "validation/report/task_processes.h"

namespace assay::validation {
namespace {

/// A run in processes gives the record of a run in one.
TEST(Processes, JudgeAsOneProcessDoes) {
  GateRun run = run_of(1900);
  const std::string whole = text_of(judged(run));
  CountingOperation::seen().clear();
  for (run.processes = 2; run.processes < 5; ++run.processes) {
    std::vector<std::string> order;
    std::int64_t units = 0;
    GateWatch watch;
    watch.judged = [&](const PropertyRecord& property) { order.push_back(property.property); };
    watch.advances = [&](const GateRecord& record) { EXPECT_EQ(record.units_done, ++units); };
    const GateRecord record = judged(run, watch);
    EXPECT_TRUE(text_of(record) == whole) << run.processes << " processes\n" << text_of(record);
    EXPECT_TRUE(record.is_complete());
    EXPECT_THAT(order, ElementsAre("holds", "fails-seldom", "skips", "fails-often", "doubts", "any"));
  }
  EXPECT_TRUE(CountingOperation::seen().empty()) << "this process judged a case";
}

TEST(Processes, JudgeOnlyAKernelThatCanBeForked) {
  GateRun run = run_of(1900);
  run.processes = 3;
  CountingKernel with_state;
  with_state.description.support.can_be_forked = false;
  CountingOperation::seen().clear();
  const GateRecord record = judged(run, {}, std::nullopt, with_state);
  EXPECT_TRUE(record.is_complete());
  EXPECT_FALSE(CountingOperation::seen().empty()) << "another process judged the cases";
}

/// As CountingOperation, but processes of a run cannot end the last property before they are released, so that a run
/// that is stopped is never complete.
struct HeldOperation : CountingOperation {
  /// Memory that a run and its processes share.
  static std::atomic<bool>& released() {
    static auto* const shared =
        new (mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
            std::atomic<bool>(false);
    return *shared;
  }

  static std::vector<NamedCase<HeldOperation>> paired_cases(Reach, std::uint64_t) { return {}; }

  static const std::vector<Property<HeldOperation>>& properties() {
    static const pid_t original = getpid();
    const auto waits = [](const Context<HeldOperation>&, const Case&) {
      while (getpid() != original && !released()) usleep(100);
      return Finding::pass();
    };
    static const std::vector<Property<HeldOperation>> all = {
        {"first", "", {}, [](const auto&, const Case&) { return Finding::pass(); }, true}, {"waits", "", {}, waits}};
    return all;
  }
};

TEST(Processes, AreStoppedAndResumed) {
  GateRun run;
  run.options.cases = 1900;
  const std::string whole = text_of(judged<HeldOperation>(run));
  run.processes = 3;
  for (const std::int64_t stop_after : {0, 1, 4}) {
    HeldOperation::released() = false;
    GateWatch watch;
    std::int64_t done = 0, told = 0;
    watch.advances = [&](const GateRecord& record) { done = record.units_done; };
    watch.stop = [&] {
      if (done < stop_after) return false;
      if (++told > 1) HeldOperation::released() = true;  // the processes have been told to stop
      return true;
    };
    const GateRecord stopped = judged<HeldOperation>(run, watch);
    EXPECT_GE(stopped.units_done, stop_after);
    EXPECT_FALSE(stopped.is_complete());
    HeldOperation::released() = true;
    EXPECT_TRUE(text_of(judged<HeldOperation>(run, {}, stopped)) == whole) << "stopped after " << stop_after;
  }
}

/// A property whose check ends each process but the one that runs the tests.
struct MortalOperation : CountingOperation {
  static std::vector<NamedCase<MortalOperation>> paired_cases(Reach, std::uint64_t) { return {}; }

  static const std::vector<Property<MortalOperation>>& properties() {
    static const pid_t original = getpid();
    const auto dies = [](const Context<MortalOperation>&, const Case& c) {
      if (getpid() != original && c.value % 301 == 7) _exit(9);
      return Finding::pass();
    };
    static const std::vector<Property<MortalOperation>> all = {{"dies", "", {}, dies}, {"dies-as-well", "", {}, dies}};
    return all;
  }
};

TEST(Processes, LeaveToTheOriginalWhatTheyDidNotDo) {
  GateRun run;
  run.options.cases = 1900;
  const GateRecord one = judged<MortalOperation>(run);
  run.processes = 2;
  const GateRecord two = judged<MortalOperation>(run);
  EXPECT_EQ(two.properties[0].cases, 1900);
  EXPECT_EQ(text_of(two), text_of(one));
}

TEST(TaskProcesses, SendTextsOfAnySizeInOrder) {
  const std::vector<std::string> texts = {"", "one", std::string(300'000, 'x'), "two"};
  TaskProcesses processes({{3, 5}, {0, 3}}, 2, [&](std::int64_t task, const TaskProcesses::Original& original) {
    for (const auto& text : texts) original.send(text + std::to_string(task));
  });
  const auto never = [] { return false; };
  for (const std::int64_t task : {0, 1, 3, 4}) {
    for (const auto& text : texts) EXPECT_EQ(processes.next(task, never), text + std::to_string(task));
    EXPECT_EQ(processes.next(task, never), std::nullopt) << "it has ended";
  }
}

/// Task 1 waits for what task 3 writes, and task 2 would never end.
TEST(TaskProcesses, BeginWithWhatIsAskedForThenInTheGivenOrder) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  TaskProcesses processes({{3, 5}, {0, 3}}, 2, [&](std::int64_t task, const TaskProcesses::Original& original) {
    char byte = 0;
    if (task == 2) pause();
    if (task == 3 && write(ends[1], "3", 1) == 1) pause();
    if (task == 1 && read(ends[0], &byte, 1) == 1) original.send({byte});
  });
  int asked = 0;
  EXPECT_EQ(processes.next(1, [&] { return ++asked > 50; }), "3");
}

TEST(TaskProcesses, EndWithAnException) {
  TaskProcesses processes({{0, 1}}, 2, [](std::int64_t, const TaskProcesses::Original& original) {
    original.send("before");
    throw std::runtime_error("lost");
  });
  const auto never = [] { return false; };
  EXPECT_EQ(processes.next(0, never), "before");
  EXPECT_EQ(processes.next(0, never), std::nullopt);
}

TEST(TaskProcesses, AreToldToStopAndMaySendALastText) {
  TaskProcesses processes({{0, 2}}, 2, [](std::int64_t, const TaskProcesses::Original& original) {
    while (!original.stop()) usleep(1000);
    original.send("the last");
  });
  int asked = 0;
  const auto stop = [&] { return ++asked > 1; };
  EXPECT_EQ(processes.next(0, stop), "the last");
  EXPECT_EQ(processes.next(0, stop), std::nullopt);
  EXPECT_EQ(processes.next(7, stop), std::nullopt) << "no task begins any more";
}

TEST(TaskProcesses, LeaveSignalsToTheOriginal) {
  TaskProcesses processes({{0, 1}}, 1, [](std::int64_t, const TaskProcesses::Original& original) {
    std::raise(SIGINT);
    std::raise(SIGTERM);
    original.send("alive");
  });
  EXPECT_EQ(processes.next(0, [] { return false; }), "alive");
}

}  // namespace
}  // namespace assay::validation
