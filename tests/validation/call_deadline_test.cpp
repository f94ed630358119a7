// The limit of a call: processor time for what computes, and the clock for what waits.
#include "validation/core/call_deadline.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/matchers.h"

namespace assay::validation {
namespace {

volatile unsigned spins = 0;

/// A process that computes, or waits, until it is killed.
class Child {
 public:
  explicit Child(bool computes) : process_(fork()) {
    if (process_ != 0) return;
    while (computes) spins = spins + 1;
    for (;;) pause();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

void wait_for(const CallDeadline& deadline) {
  while (!deadline.is_over()) poll(nullptr, 0, deadline.milliseconds());
}

TEST(CallDeadline, CountsTheProcessorTimeOfACallThatComputes) {
  const Child child(true);
  const CallDeadline deadline(0.05, child.process(), 1e6);  // the machine may be busy
  wait_for(deadline);
  EXPECT_EQ(deadline.text(), "0.05 s of processor time");
}

TEST(CallDeadline, IsSixTimesAsLongForACallThatWaits) {
  const Child child(false);
  const CallDeadline deadline(0.05, child.process());
  wait_for(deadline);
  EXPECT_THAT(deadline.text(), StartsWith("0.3 s, in which it had the processor for "));
  EXPECT_TRUE(deadline.is_waiting());
}

TEST(CallDeadline, GoesByTheClockWhereTheProcessIsNotKnown) {
  pid_t gone = 0;
  {
    const Child child(false);
    gone = child.process();
  }
  const CallDeadline deadline(0.01, gone);
  wait_for(deadline);
  EXPECT_EQ(deadline.text(), "0.01 s");
}

}  // namespace
}  // namespace assay::validation
