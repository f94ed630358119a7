// The commands on the singular value decomposition: its properties, its faults, its lines and its files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <tuple>

#include "tests/cli/program.h"
#include "validation/core/npz.h"
#include "validation/core/text.h"
#include "validation/svd/operation.h"

namespace assay::validation {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SvdCommand : public Program {
 protected:
  const std::string line_ = "B=1 M=2 N=2 dtype=float32 A=1,2,0,0.5";
};

TEST_F(SvdCommand, GateListsEachPropertyOnALine) {
  const Outcome outcome = run("gate svd --list");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(static_cast<std::size_t>(std::count(outcome.out.begin(), outcome.out.end(), '\n')),
            SvdOperation::properties().size());
  for (const auto& property : SvdOperation::properties())
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("  " + property.name + " "), HasSubstr(property.claim)));
}

TEST_F(SvdCommand, GatePassesThePlainKernel) {
  const Outcome outcome = run("gate svd --quick --kernel plain");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("assay gate svd: kernel plain, 40 generated cases a property (seed 1)"));
  EXPECT_THAT(outcome.out, HasSubstr(fmt::format("plain: 0 of {} properties failed, 0 mistrusted",
                                                 SvdOperation::properties().size())));
  EXPECT_THAT(replay_lines(outcome.out), IsEmpty());
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST_F(SvdCommand, GateFailsABrokenKernelByALineThatReplays) {
  const Outcome outcome = run("gate svd --quick --kernel fault:null-space-left-zero");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("fail orthonormal-u ("));
  EXPECT_THAT(outcome.out, Not(HasSubstr("fail reconstruction ("))) << "which proves nothing alone";
  const auto lines = replay_lines(outcome.out);
  ASSERT_THAT(lines, Not(IsEmpty()));
  for (const auto& line : lines) {
    EXPECT_THAT(line, HasSubstr("replay 'operation=svd property="));
    EXPECT_EQ(run(line).status, 1) << line;
    EXPECT_EQ(run(replaced(line, "kernel=fault:null-space-left-zero", "kernel=plain")).status, 0) << line;
    EXPECT_EQ(run(replaced(line, "operation=svd", "operation=cce")).status, 2) << "no fault, and no case, of that one";
  }
}

TEST_F(SvdCommand, GateJudgesOnABatchOfTheUsers) {
  SvdCase c = SvdOperation::sized_case(2, 6, 4, 3, Dtype::float64, 1);
  write_npz(folder_ / "matrices.npz", c);
  const Outcome outcome = run("gate svd --kernel plain --input matrices.npz");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("given: matrices.npz"), HasSubstr("0 generated cases")));
  const Outcome broken = run("gate svd --kernel fault:loose-threshold --input matrices.npz --filter '^orthonormal-u$'");
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.out, HasSubstr("(matrices.npz"));
  c.A[7] = std::numeric_limits<double>::quiet_NaN();
  write_npz(folder_ / "matrices.npz", c);
  const Outcome none = run("gate svd --kernel plain --input matrices.npz");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("matrices.npz: A[b=0, i=1, j=3] = nan: expected a finite number"));
  EXPECT_EQ(run("gate cce --input matrices.npz").status, 2) << "no batch of that operation";
}

TEST_F(SvdCommand, ReplayJudgesByThePropertyNamedOrByAll) {
  const Outcome fails = run("replay 'operation=svd property=order kernel=fault:unsorted " + line_ + "'");
  EXPECT_EQ(fails.status, 1);
  EXPECT_THAT(fails.out, AllOf(HasSubstr("order            fail"), HasSubstr("S[b=0, k=1]")));
  const Outcome all = run("replay 'operation=svd kernel=plain " + line_ + "'");
  EXPECT_EQ(all.status, 0) << all.out;
  for (const auto& property : SvdOperation::properties()) EXPECT_THAT(all.out, HasSubstr("  " + property.name + " "));
  write_npz(folder_ / "case.npz", SvdOperation::from_words(parse_words(line_)));
  EXPECT_EQ(run("replay 'operation=svd property=order kernel=fault:unsorted file=case.npz'").status, 1);
  EXPECT_EQ(run("replay 'operation=svd property=order kernel=plain file=case.npz'").status, 0);
}

/// A case that is none must not reach the properties, which take a valid one for granted.
TEST_F(SvdCommand, ReplayRefusesACaseThatIsNone) {
  for (const auto& [from, to, named] :
       {std::tuple{"A=1,", "A=nan,", "A[b=0, i=0, j=0] = nan"}, std::tuple{"A=1,", "A=", "A.size() = 3"},
        std::tuple{"A=1,", "A=0.1,", "A: 0.1 is not a number of float32"}, std::tuple{"M=2", "M=-2", "M = -2"},
        std::tuple{"float32", "float8", "dtype=float8"}, std::tuple{"N=2", "N=2 K=2", "'K='"}}) {
    const Outcome outcome = run("replay 'operation=svd " + replaced(line_, from, to) + "'");
    EXPECT_EQ(outcome.status, 2) << to;
    EXPECT_THAT(outcome.err, HasSubstr(named)) << to;
  }
}

TEST_F(SvdCommand, MutantsKillsTheFaultsThatTheFilterChooses) {
  const Outcome list = run("mutants svd --list");
  EXPECT_EQ(list.status, 0);
  EXPECT_EQ(static_cast<std::size_t>(std::count(list.out.begin(), list.out.end(), '\n')),
            SvdOperation::faults().size());
  for (const auto& fault : SvdOperation::faults()) EXPECT_THAT(list.out, HasSubstr("  fault:" + fault.name + " "));
  const Outcome outcome = run("mutants svd --filter threshold");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, ContainsRegex("absolute-threshold +killed +[0-9]+  "));
  EXPECT_THAT(outcome.out, ContainsRegex("loose-threshold +killed +[0-9]+  orthonormal-u"));
  EXPECT_THAT(outcome.out, HasSubstr("3 of 3 faults killed"));
}

TEST_F(SvdCommand, UnknownKernelsAndPropertiesAreRefusedByNaming) {
  for (const std::string& command :
       {std::string("gate svd --kernel gpu"), std::string("gate svd --kernel fault:skip-over-repeat"),
        "replay 'operation=svd kernel=gpu " + line_ + "'"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("is unknown: expected cpu, metal-emulated, metal-plain, plain, a fault"))
        << command;
  }
  const Outcome property = run("replay 'operation=svd property=loss kernel=plain " + line_ + "'");
  EXPECT_EQ(property.status, 2);
  EXPECT_THAT(property.err, HasSubstr("property=loss: `assay gate svd --list` names them"));
}

}  // namespace
}  // namespace assay::validation
