// The commands on linear cross-entropy: its properties, its faults, its lines and its files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <tuple>

#include "tests/cli/program.h"
#include "validation/cce/operation.h"
#include "validation/core/npz.h"
#include "validation/core/text.h"

namespace assay::validation {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class CceCommand : public Program {
 protected:
  /// One token of two words, the second its target, and a bias over one of them.
  const std::string line_ =
      "N=1 H=1 V=2 dtype=float32 ignore_index=-100 logit_softcap=0 label_smoothing=0 z_loss=0 reduction=none targets=1 "
      "upstream= hidden=1 weight=0,1 bias=0,0.5";
};

TEST_F(CceCommand, GateListsEachPropertyOnALine) {
  const Outcome outcome = run("gate cce --list");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(static_cast<std::size_t>(std::count(outcome.out.begin(), outcome.out.end(), '\n')),
            CceOperation::properties().size());
  for (const auto& property : CceOperation::properties())
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("  " + property.name + " "), HasSubstr(property.claim)));
}

TEST_F(CceCommand, GatePassesThePlainKernel) {
  const Outcome outcome = run("gate cce --quick --kernel plain");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("assay gate cce: kernel plain, 40 generated cases a property (seed 1)"));
  EXPECT_THAT(outcome.out, HasSubstr("plain: 0 of 28 properties failed, 0 mistrusted"));
  EXPECT_THAT(replay_lines(outcome.out), IsEmpty());
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST_F(CceCommand, GateFailsABrokenKernelByALineThatReplays) {
  const Outcome outcome = run("gate cce --quick --kernel fault:mean-over-all-tokens");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("fail reductions ("));
  const auto lines = replay_lines(outcome.out);
  ASSERT_THAT(lines, Not(IsEmpty()));
  for (const auto& line : lines) {
    EXPECT_THAT(line, HasSubstr("replay 'operation=cce property="));
    EXPECT_EQ(run(line).status, 1) << line;
    EXPECT_EQ(run(replaced(line, "kernel=fault:mean-over-all-tokens", "kernel=plain")).status, 0) << line;
    EXPECT_EQ(run(replaced(line, "operation=cce", "operation=ctc")).status, 2) << "no fault, and no case, of that one";
  }
}

TEST_F(CceCommand, GateJudgesOnABatchOfTheUsers) {
  CceCase c = CceOperation::sized_case(5, 3, 40, 1, Dtype::bfloat16, 1);
  write_npz(folder_ / "tokens.npz", c);
  const Outcome outcome = run("gate cce --kernel plain --input tokens.npz");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("given: tokens.npz"), HasSubstr("0 generated cases")));
  const Outcome broken = run("gate cce --kernel fault:last-word-left-out --input tokens.npz --filter '^loss$'");
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.out, HasSubstr("(tokens.npz"));
  c.targets[0] = 40;
  write_npz(folder_ / "tokens.npz", c);
  const Outcome none = run("gate cce --kernel plain --input tokens.npz");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("tokens.npz: targets[n=0] = 40: expected an index in [0, V=40)"));
  EXPECT_THAT(none.err, Not(HasSubstr("diagnose"))) << "which knows CTC alone";
  EXPECT_EQ(run("gate ctc --input tokens.npz").status, 2) << "no batch of that operation";
}

/// A failure that no line of text holds comes as a file, whose line replays all the same.
TEST_F(CceCommand, GateWritesALargeFailureToAFileThatReplays) {
  CceCase c = CceOperation::sized_case(400, 1, 2, 1, Dtype::float32, 1);
  c.reduction = Reduction::mean;
  write_npz(folder_ / "tokens.npz", c);
  const Outcome outcome = run("gate cce --input tokens.npz --kernel fault:mean-over-all-tokens --filter '^loss$'");
  EXPECT_EQ(outcome.status, 1);
  const auto lines = replay_lines(outcome.out);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(run(lines[0]).status, 1);
  EXPECT_EQ(run(replaced(lines[0], "kernel=fault:mean-over-all-tokens", "kernel=plain")).status, 0);
}

TEST_F(CceCommand, ReplayJudgesByThePropertyNamedOrByAll) {
  const Outcome fails = run("replay 'operation=cce property=loss kernel=fault:last-word-left-out " + line_ + "'");
  EXPECT_EQ(fails.status, 1);
  EXPECT_THAT(fails.out, AllOf(HasSubstr("loss             fail"), HasSubstr("loss[0]")));
  const Outcome all = run("replay 'operation=cce kernel=plain " + line_ + "'");
  EXPECT_EQ(all.status, 0) << all.out;
  for (const auto& property : CceOperation::properties()) EXPECT_THAT(all.out, HasSubstr("  " + property.name + " "));
  write_npz(folder_ / "case.npz", CceOperation::from_words(parse_words(line_)));
  EXPECT_EQ(run("replay 'operation=cce property=loss kernel=fault:last-word-left-out file=case.npz'").status, 1);
  EXPECT_EQ(run("replay 'operation=cce property=loss kernel=plain file=case.npz'").status, 0);
}

/// A case that is none must not reach the properties, which take a valid one for granted.
TEST_F(CceCommand, ReplayRefusesACaseThatIsNone) {
  for (const auto& [from, to, named] :
       {std::tuple{"targets=1", "targets=2", "targets"}, std::tuple{"hidden=1", "hidden=nan", "hidden"},
        std::tuple{"weight=0,1", "weight=0", "weight"}, std::tuple{"bias=0,0.5", "bias=-inf,-inf", "bias"},
        std::tuple{"z_loss=0", "z_loss=-1", "z_loss"}, std::tuple{"dtype=float32", "dtype=float8", "dtype=float8"},
        std::tuple{"V=2", "V=2 blank=0", "'blank='"}}) {
    const Outcome outcome = run("replay 'operation=cce " + replaced(line_, from, to) + "'");
    EXPECT_EQ(outcome.status, 2) << to;
    EXPECT_THAT(outcome.err, HasSubstr(named)) << to;
  }
}

TEST_F(CceCommand, MutantsKillsTheFaultsThatTheFilterChooses) {
  const Outcome list = run("mutants cce --list");
  EXPECT_EQ(list.status, 0);
  EXPECT_EQ(static_cast<std::size_t>(std::count(list.out.begin(), list.out.end(), '\n')),
            CceOperation::faults().size());
  for (const auto& fault : CceOperation::faults()) EXPECT_THAT(list.out, HasSubstr("  fault:" + fault.name + " "));
  const Outcome outcome = run("mutants cce --filter softcap-");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, ContainsRegex("softcap-infinite +killed +[0-9]+  softcap-off"));
  EXPECT_THAT(outcome.out, ContainsRegex("softcap-slope-forgotten +killed +[0-9]+  "));
  EXPECT_THAT(outcome.out, HasSubstr("5 of 5 faults killed, 0 by another property than the one meant"));
}

TEST_F(CceCommand, UnknownOperationsAreRefusedByNaming) {
  for (const std::string& command :
       {std::string("gate svm"), std::string("mutants svm"), "replay 'operation=svm " + line_ + "'"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("svm"), HasSubstr("ctc"), HasSubstr("cce"), HasSubstr("svd"))) << command;
  }
  for (const std::string& command :
       {std::string("gate cce --kernel gpu"), std::string("gate cce --kernel fault:skip-over-repeat"),
        "replay 'operation=cce kernel=gpu " + line_ + "'"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("is unknown: expected cpu, metal-emulated")) << command;
  }
  const Outcome property = run("replay 'operation=cce property=frame-sums kernel=plain " + line_ + "'");
  EXPECT_EQ(property.status, 2);
  EXPECT_THAT(property.err, HasSubstr("property=frame-sums: `assay gate cce --list` names them"));
}

}  // namespace
}  // namespace assay::validation
