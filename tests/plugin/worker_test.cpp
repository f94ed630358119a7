// The processes that plug-ins run in: none is left behind, nor any file, and one that died is started again.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "tests/matchers.h"
#include "tests/plugin/plugins.h"
#include "tests/validation/ctc/kernels.h"
#include "validation/core/kernel_died.h"
#include "validation/ctc/fields.h"
#include "validation/ctc/operation.h"
#include "validation/registry.h"
#include "validation/transport/library/plugin.h"

namespace assay::validation::transport {
namespace {

using std::filesystem::directory_iterator;

std::ptrdiff_t open_files() {
  return std::distance(directory_iterator("/proc/self/fd"), directory_iterator());
}

bool has_children() {
  return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

TEST(Worker, IsStartedAgainAfterADeath) {
  const auto kernel = kernel_called<CtcOperation>(built("aborts"));
  for (int i = 0; i < 3; ++i) EXPECT_THROW(run_valid(*kernel, three_of_four_paths()), KernelDied);
}

/// While a case is shrunk, it is asked again and again. On a busy machine the limit is six times as much by the clock.
TEST(Worker, IsGivenLessTimeOnceItHasHung) {
  set_time_limit(0.4);
  const auto kernel = kernel_called<CtcOperation>(built("hangs"));
  const auto ask = [&] { run_valid(*kernel, three_of_four_paths()); };
  EXPECT_THAT(ask, ThrowsMessage<KernelDied>(AnyOf(HasSubstr("within 0.4 s"), HasSubstr("within 2.4 s"))));
  EXPECT_THAT(ask, ThrowsMessage<KernelDied>(AnyOf(HasSubstr("within 0.04 s"), HasSubstr("within 0.24 s"))));
  set_time_limit(10);
  EXPECT_THROW(set_time_limit(0), std::invalid_argument);
}

TEST(Worker, LeavesNothingBehind) {
  const auto before = open_files();
  {
    const auto right = kernel_called<CtcOperation>(built("minimal"));
    const auto wrong = kernel_called<CtcOperation>(built("reads_null"));
    EXPECT_NEAR(double{run_valid(*right, three_of_four_paths()).loss.at(0)}, 0.28768207, 1e-6);
    for (int i = 0; i < 5; ++i) EXPECT_THROW(run_valid(*wrong, three_of_four_paths()), KernelDied);
    EXPECT_TRUE(has_children());
  }
  EXPECT_EQ(open_files(), before);
  EXPECT_FALSE(has_children());
}

/// The child of `parent`, or 0.
pid_t child_of(pid_t parent) {
  for (const auto& entry : directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    pid_t process = 0, its_parent = 0;
    std::string name, state;
    if (stat >> process >> name >> state >> its_parent && its_parent == parent && state != "Z") return process;
  }
  return 0;
}

bool is_alive(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return stat >> number >> name >> state && state != "Z";
}

template <class Condition>
bool soon(Condition condition) {
  for (int i = 0; i < 500 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

/// How many processes there are in a process group.
int processes_of_group(pid_t group) {
  int count = 0;
  for (const auto& entry : directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    pid_t process = 0, parent = 0, its_group = 0;
    std::string name, state;
    if (stat >> process >> name >> state >> parent >> its_group && its_group == group && state != "Z") ++count;
  }
  return count;
}

TEST(Worker, EndsWithThoseThatThePlugInHasStarted) {
  for (const char* const plugin : {"forks", "forks_and_leaves"}) {
    pid_t worker = 0;
    {
      const auto kernel = kernel_called<CtcOperation>(built(plugin));
      worker = child_of(getpid());
      EXPECT_EQ(processes_of_group(worker), 1) << plugin;
      if (plugin == std::string("forks")) {
        run_valid(*kernel, three_of_four_paths());
        EXPECT_EQ(processes_of_group(worker), 4);
      } else {
        EXPECT_THAT([&] { run_valid(*kernel, three_of_four_paths()); },
                    ThrowsMessage<KernelDied>(HasSubstr("called exit(0)")));
      }
    }
    EXPECT_TRUE(soon([&] { return processes_of_group(worker) == 0; })) << plugin;
  }
}

/// Even one that never returns.
TEST(Worker, EndsWithTheProgramThatStartedIt) {
  const pid_t program = fork();
  if (program == 0) {
    const auto kernel = kernel_called<CtcOperation>(built("hangs"));
    run_kernel(*kernel, three_of_four_paths());
    _exit(0);
  }
  pid_t worker = 0;
  EXPECT_TRUE(soon([&] { return (worker = child_of(program)) != 0; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_TRUE(is_alive(worker));
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  EXPECT_TRUE(soon([&] { return !is_alive(worker); }));
}

}  // namespace
}  // namespace assay::validation::transport
