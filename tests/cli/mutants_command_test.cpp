// assay mutants: kills what it is given, and says by which property.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/program.h"
#include "tests/matchers.h"
#include "validation/ctc/faults/faults.h"

namespace assay::validation {
namespace {

class MutantsCommand : public Program {};

TEST_F(MutantsCommand, NamesEveryCatcherWhenAsked) {
  const Outcome outcome = run("mutants --filter skip-over --all");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, ContainsRegex("killed +[0-9]+  loss, .*gradient"));
}

/// On one case this fault does not show, which is a status of 1 and no secret.
TEST_F(MutantsCommand, AdmitsSurvivors) {
  const Outcome outcome = run("mutants --filter label-limit --cases 1");
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("SURVIVED"));
  EXPECT_THAT(outcome.out, HasSubstr("0 of 1 faults killed"));
}

/// A quick run is as large as `assay gate --quick`, which has no sized cases: those alone show this fault.
TEST_F(MutantsCommand, QuickIsTheQuickGate) {
  const Outcome outcome = run("mutants ctc --quick --filter sums-truncated");
  EXPECT_THAT(outcome.out, HasSubstr("40 generated cases a property"));
  EXPECT_THAT(outcome.out, HasSubstr("SURVIVED")) << outcome.out;
}

/// A run that judged no fault has shown nothing: its status is not that of success.
TEST_F(MutantsCommand, LeavesOutKernelsThatCannotRunHere) {
  const Outcome outcome =
      shell("ASSAY_CLANG=/nowhere/clang '" ASSAY_PROGRAM "' mutants ctc --quick --filter metal-missing-barrier");
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, ContainsRegex("metal-missing-barrier +not run"));
  EXPECT_THAT(outcome.out, HasSubstr("0 of 0 faults killed"));
  EXPECT_THAT(outcome.err, HasSubstr("note: 1 faults were not run: "));
}

}  // namespace
}  // namespace assay::validation
