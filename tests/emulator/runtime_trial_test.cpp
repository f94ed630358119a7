// Checked dispatches that are tried first, on one or more OS threads: the results and reports of one that is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>

#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

constexpr std::uint32_t groups = 24, group = 32;

struct Outcome {
  std::vector<std::int32_t> first, second;
  std::string reports;
  std::string error;
  bool operator==(const Outcome&) const = default;
};

/// What two dispatches of `groups` groups left in two buffers, the second of which nobody has written. On 0 OS threads:
/// on one, without a trial, which is not worth its while beside memory that no thread needs.
Outcome outcome_on(unsigned os_threads, Entry entry, ThreadOrder order) {
  EmulatorOptions options;
  options.os_threads = std::max(os_threads, 1U);
  options.order = order;
  Bench bench(options);
  bench.with(counting(groups * group)).unwritten(groups * group);
  if (os_threads == 0) bench.unwritten(1U << 20);
  bench.dispatches = 2;
  Outcome outcome;
  if (const auto error = bench.run(entry, {groups * group}, {group})) outcome.error = error->text;
  for (const Report& report : bench.reports()) outcome.reports += to_string(report) + "\n";
  outcome.first.assign(bench.ints(0).begin(), bench.ints(0).end());
  outcome.second.assign(bench.ints(1).begin(), bench.ints(1).end());
  return outcome;
}

/// The reports, which must be those without a trial each time, as the contents of the buffers must be.
std::string found(Entry entry) {
  std::string reports;
  for (const ThreadOrder order : {ThreadOrder::forward, ThreadOrder::reverse}) {
    const Outcome untried = outcome_on(0, entry, order);
    for (const unsigned os_threads : {1U, 4U, 4U, 4U, 4U, 4U}) {
      const Outcome tried = outcome_on(os_threads, entry, order);
      EXPECT_EQ(tried.reports, untried.reports);
      EXPECT_EQ(tried.error, untried.error);
      EXPECT_TRUE(tried == untried) << "the buffers differ";
    }
    reports += untried.reports;
  }
  return reports;
}

std::uint32_t group_of(const abi::Invocation* call) {
  return call->position->threadgroup_position_in_grid[0];
}

std::atomic<int> arrived;
std::atomic<bool> have_met;

/// Two groups wait here for each other, so that each has an OS thread of its own; once they have met, no longer.
void meet() {
  ++arrived;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (arrived < 2 && !have_met && std::chrono::steady_clock::now() < end) {
  }
  if (arrived >= 2) have_met = true;
}

/// The checks that report when two groups of one thread, which meet first, run on two OS threads.
std::string found_when_met(Entry entry) {
  arrived = 0;
  have_met = false;
  EmulatorOptions options;
  options.os_threads = 2;
  Bench bench(options);
  bench.with(zeros(2));
  bench.run(entry, {2}, {1});
  EXPECT_TRUE(have_met);
  return kinds(bench.reports());
}

TEST(Trial, GroupsRunAtTheSameTimeAndOnce) {
  EXPECT_EQ(found_when_met([](const abi::Invocation* call) {
              meet();
              store(buffer(call, 0) + group_of(call), 1);
            }),
            "");
  EXPECT_EQ(arrived, 2);
}

TEST(Trial, ComparesWhatOsThreadsAccessed) {
  EXPECT_EQ(found_when_met([](const abi::Invocation* call) {
              meet();
              store(buffer(call, 0), 1);
            }),
            "racecheck");
  EXPECT_EQ(found_when_met([](const abi::Invocation* call) {
              meet();
              if (group_of(call) == 0) store(buffer(call, 0), 1);
              if (group_of(call) == 1) load(buffer(call, 0));
            }),
            "racecheck");
  EXPECT_EQ(found_when_met([](const abi::Invocation* call) {
              meet();
              load(buffer(call, 0));
            }),
            "");
}

TEST(Trial, ComparesWhichBytesOsThreadsAccessed) {
  EXPECT_EQ(found_when_met([](const abi::Invocation* call) {
              meet();
              if (group_of(call) == 0) store(buffer<std::uint8_t>(call, 0) + 1, std::uint8_t{1});
              if (group_of(call) == 1) store(buffer<std::uint16_t>(call, 0), std::uint16_t{1});
            }),
            "racecheck");
  EXPECT_EQ(found_when_met([](const abi::Invocation* call) {
              meet();
              if (group_of(call) == 0) store(buffer<std::uint8_t>(call, 0) + 2, std::uint8_t{1});
              if (group_of(call) == 1) store(buffer(call, 0), 1);
            }),
            "racecheck");
  EXPECT_EQ(found_when_met([](const abi::Invocation* call) {
              meet();
              store(buffer<std::uint8_t>(call, 0) + group_of(call), std::uint8_t{1});
            }),
            "");
}

TEST(Trial, FindsNothingInElementsOfEachThreadsOwn) {
  EXPECT_EQ(found([](const abi::Invocation* call) {
              const std::uint32_t me = thread_in_grid(call);
              const std::int32_t mine = load(buffer(call, 0) + me);
              threadgroup_barrier<__LINE__>(abi::mem_device);
              store(buffer(call, 0) + me, mine + 1);
              store(buffer(call, 1) + me, mine);
            }),
            "");
}

TEST(Trial, TellsBytesOfAWordApart) {
  EXPECT_EQ(found([](const abi::Invocation* call) {
              auto* const byte = buffer<std::uint8_t>(call, 1) + thread_in_group(call) * groups + group_of(call);
              store(byte, std::uint8_t{1});
              load(byte);
            }),
            "");
  EXPECT_THAT(found([](const abi::Invocation* call) {
                store(buffer<std::uint8_t>(call, 1) + thread_in_group(call) * groups + group_of(call) / 2,
                      std::uint8_t{1});
              }),
              Not(IsEmpty()));
}

TEST(Trial, FindsRacesOfGroups) {
  EXPECT_THAT(found([](const abi::Invocation* call) { store(buffer(call, 1) + thread_in_group(call), 1); }),
              Not(IsEmpty()));
  EXPECT_THAT(found([](const abi::Invocation* call) {
                if (group_of(call) == 0) store(buffer(call, 0) + thread_in_group(call), 1);
                load(buffer(call, 0) + group - 1);
              }),
              Not(IsEmpty()));
  EXPECT_THAT(found([](const abi::Invocation* call) {
                load(buffer(call, 0) + thread_in_group(call));
                if (group_of(call) == groups - 1) store(buffer(call, 0) + thread_in_group(call), 1);
              }),
              Not(IsEmpty()));
}

TEST(Trial, FindsRacesInAGroup) {
  EXPECT_THAT(found([](const abi::Invocation* call) { store(buffer(call, 1) + group_of(call), 1); }), Not(IsEmpty()));
}

/// The buffer is written in the end as if the trial had not been.
TEST(Trial, LeavesNothingBehindIfAnAccessIsOutOfBounds) {
  EXPECT_THAT(found([](const abi::Invocation* call) {
                const std::uint32_t me = thread_in_grid(call);
                store(buffer(call, 0) + me, load(buffer(call, 0) + me) + 1);
                if (me == groups * group - 1) store(buffer(call, 1) + groups * group, 1);
              }),
              testing::HasSubstr("memcheck"));
}

/// The second dispatch reads what the first has written: all elements, or all but those of the last thread.
TEST(Trial, KnowsWhatAnEarlierDispatchWrote) {
  const auto next = [](const abi::Invocation* call, bool writes) {
    const std::uint32_t me = thread_in_grid(call);
    const std::int32_t dispatch = load(buffer(call, 0) + me) - static_cast<std::int32_t>(me);
    store(buffer(call, 0) + me, static_cast<std::int32_t>(me) + 1);
    if (dispatch == 1) load(buffer(call, 1) + me);
    if (dispatch == 0 && writes) store(buffer(call, 1) + me, 1);
  };
  static constexpr auto body = next;
  EXPECT_EQ(found([](const abi::Invocation* call) { body(call, true); }), "");
  EXPECT_THAT(found([](const abi::Invocation* call) { body(call, thread_in_grid(call) != groups * group - 1); }),
              testing::HasSubstr("initcheck"));
  EXPECT_THAT(found([](const abi::Invocation* call) { body(call, thread_in_grid(call) % 2 == 0); }),
              testing::HasSubstr("initcheck"));
}

/// The checks that report when 64 threads run whose first argument is `const`.
std::string found_with_const(unsigned os_threads, Entry entry) {
  Shader shader(entry);
  shader.argument(0).type = "device const int*";
  shader.argument(0).is_written = 0;
  EmulatorOptions options;
  options.os_threads = os_threads;
  Bench bench(options);
  bench.with(counting(64)).unwritten(64);
  bench.run(shader, {64}, {32});
  return kinds(bench.reports());
}

/// A trial has no record of the reads with which these writes race.
TEST(Trial, FindsRacesWithReadsOfConstArguments) {
  for (const unsigned os_threads : {1U, 4U}) {
    EXPECT_EQ(found_with_const(os_threads,
                               [](const abi::Invocation* call) {
                                 const std::uint32_t me = thread_in_grid(call);
                                 store(buffer(call, 1) + me, load(buffer(call, 0) + std::min(me + 1, 63U)));
                                 if (me > 0) store(buffer(call, 0) + me, 1);
                               }),
              "racecheck");
    EXPECT_EQ(found_with_const(os_threads,
                               [](const abi::Invocation* call) {
                                 const std::uint32_t me = thread_in_grid(call);
                                 store(buffer(call, 1) + me, load(buffer(call, 0) + me));
                                 if (me > 0) store(buffer(call, 0) + me, 1);
                               }),
              "");
  }
}

TEST(Trial, AtomicsHaveTheOrderOfOneThread) {
  EXPECT_EQ(found([](const abi::Invocation* call) {
              services->access(buffer(call, 0), 4, abi::Access::atomic_modify, __builtin_return_address(0));
              const std::int32_t turn = __atomic_fetch_add(buffer(call, 0), 1, __ATOMIC_RELAXED);
              store(buffer(call, 1) + thread_in_grid(call), turn);
            }),
            "");
}

/// In reverse order the last group reads before the first one writes.
TEST(Trial, FencesHaveTheOrderOfOneThread) {
  EXPECT_THAT(found([](const abi::Invocation* call) {
                if (thread_in_grid(call) == 0) store(buffer(call, 1), 1);
                services->fence(abi::mem_device, abi::MemoryOrder::seq_cst, abi::FenceScope::device);
                atomic_add(buffer(call, 0), 1);
                services->fence(abi::mem_device, abi::MemoryOrder::seq_cst, abi::FenceScope::device);
                if (group_of(call) == groups - 1) load(buffer(call, 1));
              }),
              testing::HasSubstr("two threadgroups"));
}

}  // namespace
}  // namespace assay::metal::emulator::test
