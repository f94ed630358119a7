// The commands on every operation: its properties, its faults, its lines and its files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/matchers.h"
#include "tests/validation/operations/operations.h"
#include "validation/core/npz.h"
#include "validation/core/text.h"

namespace assay::validation {
namespace {

template <class O>
class OperationCommand : public Program {
 protected:
  using Sample = Commands<O>;

  static std::string gate(const std::string& arguments) { return fmt::format("gate {} {}", O::name, arguments); }

  /// A line that replays the case `line`.
  static std::string replay(const std::string& words, const std::string& line = Sample::line) {
    return fmt::format("replay 'operation={} {} {}'", O::name, words, line);
  }

  static std::string fault() { return std::string("kernel=fault:") + Sample::fault; }

  static void expect_lines(const std::string& text, std::size_t count) {
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), count);
  }
};

TYPED_TEST_SUITE(OperationCommand, Operations);

TYPED_TEST(OperationCommand, GateListsEachPropertyOnALine) {
  const Outcome outcome = this->run(this->gate("--list"));
  EXPECT_EQ(outcome.status, 0);
  this->expect_lines(outcome.out, TypeParam::properties().size());
  for (const auto& property : TypeParam::properties())
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("  " + property.name + " "), HasSubstr(property.claim)));
}

TYPED_TEST(OperationCommand, GatePassesThePlainKernel) {
  const Outcome outcome = this->run(this->gate("--quick --reach none --kernel plain"));
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("kernel plain, 40 generated cases a property (seed 1), reference at 50 digits"));
  EXPECT_THAT(outcome.out,
              HasSubstr(fmt::format("plain: 0 of {} properties failed, 0 mistrusted", TypeParam::properties().size())));
  EXPECT_THAT(this->replay_lines(outcome.out), IsEmpty());
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TYPED_TEST(OperationCommand, GateFailsABrokenKernelByALineThatReplays) {
  using C = Commands<TypeParam>;
  const Outcome outcome = this->run(this->gate(std::string("--quick --reach none --kernel fault:") + C::fault));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr(std::string("fail ") + C::property + " ("));
  const auto lines = this->replay_lines(outcome.out);
  ASSERT_THAT(lines, Not(IsEmpty()));
  for (const auto& line : lines) {
    EXPECT_THAT(line, HasSubstr(fmt::format("replay 'operation={} property=", TypeParam::name)));
    EXPECT_EQ(this->run(line).status, 1) << line;
    EXPECT_EQ(this->run(replaced(line, this->fault(), "kernel=plain")).status, 0) << line;
    const std::string other = std::string("operation=") + C::other;
    EXPECT_EQ(this->run(replaced(line, std::string("operation=") + TypeParam::name, other)).status, 2)
        << "neither the fault nor the case is of that operation";
  }
}

TYPED_TEST(OperationCommand, GateJudgesABatchOfTheUsers) {
  using C = Commands<TypeParam>;
  auto c = C::batch();
  write_npz(this->folder_ / "batch.npz", c);
  const Outcome outcome = this->run(this->gate("--kernel plain --input batch.npz"));
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("given: batch.npz"), HasSubstr("0 generated cases")));
  const Outcome broken = this->run(this->gate(
      fmt::format("--kernel fault:{} --input batch.npz --filter '^{}$'", C::batch_fault, C::batch_property)));
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.out, HasSubstr("(batch.npz"));
  this->expect_refused(fmt::format("gate {} --input batch.npz", C::other), "batch.npz: ");
  C::spoil(c);
  write_npz(this->folder_ / "batch.npz", c);
  this->expect_refused(this->gate("--kernel plain --input batch.npz"), C::complaint);
}

TYPED_TEST(OperationCommand, ReplayJudgesByThePropertyNamedOrByAll) {
  using C = Commands<TypeParam>;
  const std::string property = std::string("property=") + C::property + " ";
  const Outcome fails = this->run(this->replay(property + this->fault()));
  EXPECT_EQ(fails.status, 1);
  EXPECT_THAT(fails.out, ContainsRegex(std::string(C::property) + " +fail"));
  EXPECT_THAT(fails.out, Not(HasSubstr("  outside ")));
  EXPECT_EQ(this->run(this->replay("property=repeat " + this->fault())).status, 0);
  const Outcome all = this->run(this->replay("kernel=plain"));
  EXPECT_EQ(all.status, 0) << all.out;
  for (const auto& one : TypeParam::properties()) EXPECT_THAT(all.out, HasSubstr("  " + one.name + " "));
  write_npz(this->folder_ / "case.npz", TypeParam::from_words(parse_words(C::line)));
  EXPECT_EQ(this->run(this->replay(property + this->fault(), "file=case.npz")).status, 1);
  EXPECT_EQ(this->run(this->replay(property + "kernel=plain", "file=case.npz")).status, 0);
  EXPECT_EQ(this->run(this->replay(property, "file=nowhere.npz")).status, 2);
}

/// A case that is none must not reach the properties, which take a valid one for granted.
TYPED_TEST(OperationCommand, ReplayRefusesACaseThatIsNone) {
  using C = Commands<TypeParam>;
  for (const Spoiled& spoiled : C::spoiled)
    this->expect_refused(this->replay("", replaced(C::line, spoiled.from, spoiled.to)), spoiled.named);
}

TYPED_TEST(OperationCommand, MutantsKillsTheFaultsThatTheFilterChooses) {
  using C = Commands<TypeParam>;
  const Outcome list = this->run(fmt::format("mutants {} --list", TypeParam::name));
  EXPECT_EQ(list.status, 0);
  this->expect_lines(list.out, TypeParam::faults().size());
  for (const auto& fault : TypeParam::faults()) EXPECT_THAT(list.out, HasSubstr("  fault:" + fault.name + " "));
  const Outcome outcome = this->run(fmt::format("mutants {} --filter {}", TypeParam::name, C::filter));
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(ContainsRegex(C::killed), HasSubstr(C::count)));
}

TYPED_TEST(OperationCommand, NamesThatAreUnknownAreRefused) {
  const std::string known =
      "is unknown: expected cpu, metal-emulated, metal-nvidia, metal-apple, metal-plain, plain, a fault";
  for (const std::string kernel : {"gpu", "fault:no-such-fault"}) {
    this->expect_refused(this->gate("--kernel " + kernel), known);
    this->expect_refused(this->replay("kernel=" + kernel), known);
  }
  this->expect_refused(this->replay("property=lost kernel=plain"), "property=lost: expected one of outside, inside, ");
  this->expect_refused(this->replay("kernal=plain"), "kernal=");
  this->expect_refused(this->replay("kernal=plain", "file=case.npz"), "kernal=");
}

class UnknownOperation : public Program {};

TEST_F(UnknownOperation, IsRefusedByNamingThoseThereAre) {
  for (const std::string command : {"gate svm", "mutants svm", "replay 'operation=svm A=1'"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2) << command;
    for (const std::string& name : operation_names()) EXPECT_THAT(outcome.err, HasSubstr(name)) << command;
  }
}

}  // namespace
}  // namespace assay::validation
