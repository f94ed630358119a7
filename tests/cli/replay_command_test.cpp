// assay replay: one case, one verdict; a line that is no case is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/cli/program.h"
#include "validation/core/npz.h"
#include "validation/core/text.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

using testing::HasSubstr;
using testing::Not;

class ReplayCommand : public Program {
 protected:
  /// The label 1 twice in two frames: no alignment fits, unless the blank between them is forgotten.
  const std::string line_ =
      "T=2 B=1 C=2 S=2 blank=0 input=logits variable=logits layout=padded reduction=none zero_infinity=0 "
      "input_lengths=2 target_lengths=2 targets=1,1 upstream= activations=0,0,0,0";
};

TEST_F(ReplayCommand, JudgesByThePropertyNamed) {
  const Outcome fails = run("replay 'property=loss kernel=fault:skip-over-repeat " + line_ + "'");
  EXPECT_EQ(fails.status, 1);
  EXPECT_THAT(fails.out, HasSubstr("loss             fail"));
  EXPECT_THAT(fails.out, HasSubstr("expected inf"));
  EXPECT_THAT(fails.out, Not(HasSubstr("gradient  ")));
  EXPECT_EQ(run("replay 'property=loss kernel=plain " + line_ + "'").status, 0);
  EXPECT_EQ(run("replay 'property=repeat kernel=fault:skip-over-repeat " + line_ + "'").status, 0);
}

TEST_F(ReplayCommand, JudgesTheShippedKernelByEveryPropertyUnlessTold) {
  const Outcome outcome = run("replay '" + line_ + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  for (const auto& property : CtcOperation::properties())
    EXPECT_THAT(outcome.out, HasSubstr("  " + property.name + " "));
}

TEST_F(ReplayCommand, ReadsACaseFromAFile) {
  CtcCase c = CtcOperation::from_words(parse_words(line_));
  write_npz(folder_ / "case.npz", c);
  EXPECT_EQ(run("replay 'property=loss kernel=fault:skip-over-repeat file=case.npz'").status, 1);
  EXPECT_EQ(run("replay 'property=loss file=case.npz'").status, 0);
  EXPECT_EQ(run("replay 'property=loss file=nowhere.npz'").status, 2);
}

TEST_F(ReplayCommand, RefusesWhatItDoesNotKnow) {
  const Outcome property = run("replay 'property=lost " + line_ + "'");
  EXPECT_EQ(property.status, 2);
  EXPECT_THAT(property.err, HasSubstr("property=lost"));
  EXPECT_EQ(run("replay 'kernel=gpu " + line_ + "'").status, 2);
  const Outcome typo = run("replay 'kernal=fault:best-path " + line_ + "'");
  EXPECT_EQ(typo.status, 2) << "or the shipped kernel would be judged in the place of the one meant";
  EXPECT_THAT(typo.err, HasSubstr("kernal="));
}

TEST_F(ReplayCommand, RefusesAFileAndACaseAtOnce) {
  write_npz(folder_ / "case.npz", CtcOperation::from_words(parse_words(line_)));
  const Outcome outcome = run("replay 'file=case.npz kernal=plain'");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("kernal="));
}

/// A case that is none must not reach the properties, which take a valid one for granted.
TEST_F(ReplayCommand, RefusesACaseThatIsNone) {
  for (const auto& [from, to, named] : {std::tuple{"target_lengths=2", "target_lengths=900000", "target_lengths"},
                                        std::tuple{"input_lengths=2", "input_lengths=", "input_lengths"},
                                        std::tuple{"targets=1,1", "targets=1,2", "targets"},
                                        std::tuple{"activations=0,0,0,0", "activations=0,0,0", "activations"},
                                        std::tuple{"activations=0,0,0,0", "activations=0,nan,0,0", "activations"}}) {
    const Outcome outcome = run("replay '" + replaced(line_, from, to) + "'");
    EXPECT_EQ(outcome.status, 2) << to;
    EXPECT_THAT(outcome.err, HasSubstr(named)) << to;
  }
}

}  // namespace
}  // namespace assay::validation
