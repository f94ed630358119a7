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

/// A part of a line, what it is replaced with, and what the complaint names.
struct Spoiled {
  const char *from, *to, *named;
};

template <class O>
struct Commands;

template <>
struct Commands<CtcOperation> {
  /// The label 1 twice in two frames: no alignment fits, unless the blank between them is forgotten.
  static constexpr const char* line =
      "T=2 B=1 C=2 S=2 blank=0 input=logits variable=logits layout=padded reduction=none zero_infinity=0 "
      "input_lengths=2 target_lengths=2 targets=1,1 upstream= activations=0,0,0,0";
  static constexpr const char *fault = "skip-over-repeat", *property = "loss", *other = "svd";
  static constexpr Spoiled spoiled[] = {{"target_lengths=2", "target_lengths=900000", "target_lengths"},
                                        {"input_lengths=2", "input_lengths=", "input_lengths"},
                                        {"targets=1,1", "targets=1,2", "targets"},
                                        {"activations=0,0,0,0", "activations=0,0,0", "activations"},
                                        {"activations=0,0,0,0", "activations=0,nan,0,0", "activations"}};
  static constexpr const char *filter = "skip-over", *killed = "skip-over-repeat +killed +[0-9]+  loss\n",
                              *count = "1 of 1 faults killed, 0 by another property than the one meant";

  static CtcCase batch() { return CtcOperation::sized_case(20, 5, 8, 1, 1); }
  static constexpr const char *batch_fault = "upstream-ignored", *batch_property = "linearity";
  static void spoil(CtcCase& c) { c.targets[0] = 5; }
  static constexpr const char* complaint = "batch.npz: ";
};

template <>
struct Commands<CceOperation> {
  /// One token of two vocabulary entries, the second its target, and a bias over one of them.
  static constexpr const char* line =
      "N=1 H=1 V=2 dtype=float32 ignore_index=-100 logit_softcap=0 label_smoothing=0 z_loss=0 reduction=none targets=1 "
      "upstream= hidden=1 weight=0,1 bias=0,0.5";
  static constexpr const char *fault = "last-word-left-out", *property = "loss", *other = "ctc";
  static constexpr Spoiled spoiled[] = {
      {"targets=1", "targets=2", "targets"}, {"hidden=1", "hidden=nan", "hidden"},
      {"weight=0,1", "weight=0", "weight"},  {"bias=0,0.5", "bias=-inf,-inf", "bias"},
      {"z_loss=0", "z_loss=-1", "z_loss"},   {"dtype=float32", "dtype=float8", "dtype=float8"},
      {"V=2", "V=2 blank=0", "'blank='"}};
  static constexpr const char *filter = "softcap-", *killed = "softcap-infinite +killed +[0-9]+  softcap-off",
                              *count = "5 of 5 faults killed, 0 by another property than the one meant";

  static CceCase batch() { return CceOperation::sized_case(5, 3, 40, 1, Dtype::bfloat16, 1); }
  static constexpr const char *batch_fault = "last-word-left-out", *batch_property = "loss";
  static void spoil(CceCase& c) { c.targets[0] = 40; }
  static constexpr const char* complaint = "batch.npz: targets[n=0] = 40: expected an index in [0, V=40)";
};

template <>
struct Commands<SvdOperation> {
  static constexpr const char* line = "B=1 M=2 N=2 dtype=float32 A=1,2,0,0.5";
  static constexpr const char *fault = "unsorted", *property = "order", *other = "cce";
  static constexpr Spoiled spoiled[] = {{"A=1,", "A=nan,", "A[b=0, i=0, j=0] = nan"},
                                        {"A=1,", "A=", "A.size() = 3"},
                                        {"A=1,", "A=0.1,", "A: 0.1 is not a number of float32"},
                                        {"M=2", "M=-2", "M = -2"},
                                        {"float32", "float8", "dtype=float8"},
                                        {"N=2", "N=2 K=2", "'K='"}};
  static constexpr const char *filter = "threshold", *killed = "loose-threshold +killed +[0-9]+  orthonormal-u",
                              *count = "3 of 3 faults killed";

  static SvdCase batch() { return SvdOperation::sized_case(2, 6, 4, 3, Dtype::float64, 1); }
  static constexpr const char *batch_fault = "loose-threshold", *batch_property = "orthonormal-u";
  static void spoil(SvdCase& c) { c.A[7] = std::numeric_limits<double>::quiet_NaN(); }
  static constexpr const char* complaint = "batch.npz: A[b=0, i=1, j=3] = nan: expected a finite number";
};

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
  this->expect_refused(this->replay("property=lost kernel=plain"),
                       fmt::format("property=lost: `assay gate {} --list` names them", TypeParam::name));
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
