// SIGTERM and SIGINT end a command within a second, with what it has found so far.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/program.h"
#include "tests/matchers.h"
#include "validation/core/npz.h"
#include "validation/ctc/operation.h"
#include "validation/report/report_file.h"

namespace assay::validation {
namespace {

class Interrupted : public Program {
 protected:
  Interrupted() {
    for (const char* const plugin : {"/slow.so", "/hangs.so"})
      std::filesystem::copy(std::string(ASSAY_TEST_PLUGINS) + plugin, folder_);
  }

  /// Runs the program, which gets the signal after so many seconds and must end within one more.
  Outcome run_until(double seconds, const std::string& signal, const std::string& arguments) const {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = shell("timeout --foreground --preserve-status -s " + signal + " " +
                                  std::to_string(seconds) + " '" + ASSAY_PROGRAM "' " + arguments);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_GE(took.count(), seconds) << "the command ended before the signal came";
    EXPECT_LE(took.count(), seconds + 1 + load_) << arguments;
    return outcome;
  }

  const double load_ = 2;  ///< more seconds, for a machine that does much else
};

/// Each call takes half a second, so that shrinking goes on for ten seconds.
TEST_F(Interrupted, GateKeepsTheFailureThatItWasShrinking) {
  write_npz(folder_ / "batch.npz", CtcOperation::sized_case(20, 5, 8, 1, 1));
  for (const std::string signal : {"TERM", "INT"}) {
    const Outcome outcome = run_until(
        2.5, signal, "gate ctc --input batch.npz --kernel ./slow.so --filter '^(loss|gradient)$' --json run.json");
    EXPECT_EQ(outcome.status, 130);
    EXPECT_THAT(outcome.out, HasSubstr("; shrinking was interrupted)"));
    ASSERT_THAT(replay_lines(outcome.out), SizeIs(1));
    EXPECT_EQ(run(replay_lines(outcome.out)[0]).status, 1);
    EXPECT_THAT(reported_failures(folder_ / "run.json"), SizeIs(1));
  }
}

/// A call that does not return ends with the run, not with its time limit.
TEST_F(Interrupted, GateDoesNotWaitForAPlugIn) {
  const Outcome outcome = run_until(2, "TERM", "gate ctc --kernel ./hangs.so --filter '^loss$' --time-limit 60");
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("hangs.so: interrupted: no verdict; 0 of 1 properties had failed after 0 of "),
                    Not(HasSubstr("properties failed"))));
}

/// Making one case of such a batch takes milliseconds, and each row would make several.
TEST_F(Interrupted, GateStopsWhileItMakesCasesOfALargeBatch) {
  CtcCase c;
  c.T = 4;
  c.B = 70'000;
  c.C = 5;
  c.input_lengths.assign(70'000, 4);
  set_targets(c, std::vector<std::vector<std::int64_t>>(70'000, {1}));
  c.activations.assign(1'400'000, 0.5F);
  write_npz(folder_ / "batch.npz", c);
  const Outcome outcome = run("gate ctc --input batch.npz --kernel fault:softmax-forgotten --filter '^frame-sums$'");
  EXPECT_EQ(outcome.status, 1);
  ASSERT_THAT(replay_lines(outcome.out), SizeIs(1));
  EXPECT_THAT(replay_lines(outcome.out)[0], HasSubstr(" T=1 B=1 "));
}

TEST_F(Interrupted, GradcheckConcludesFromTheCasesBefore) {
  const Outcome outcome = run_until(3, "TERM", "gradcheck ctc --kernel ./slow.so --cases 1000");
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.out, HasSubstr("the check was interrupted after "));
}

TEST_F(Interrupted, ReplayShowsTheVerdictsBefore) {
  const std::string line =
      "T=1 B=1 C=2 S=0 blank=0 input=logits variable=logits layout=padded reduction=none zero_infinity=0 "
      "input_lengths=1 target_lengths=0 targets= upstream= activations=0,0";
  const Outcome outcome = run_until(2, "TERM", "replay 'kernel=./slow.so " + line + "'");
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.out, HasSubstr("  outside "));
  EXPECT_THAT(outcome.err, HasSubstr("assay replay: interrupted"));
}

}  // namespace
}  // namespace assay::validation
