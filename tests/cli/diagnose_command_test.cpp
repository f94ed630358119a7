// assay diagnose: nothing to say about a healthy batch, one thing to say about each broken row of another.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/cli/program.h"
#include "tests/matchers.h"

namespace assay::validation {
namespace {

class DiagnoseCommand : public Program {};

TEST_F(DiagnoseCommand, FindsNothingInSpeech) {
  const Outcome outcome = run("diagnose " + data("speech.npz"));
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("speech.npz"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\033")));
}

TEST_F(DiagnoseCommand, FindsWhatIsBroken) {
  const Outcome outcome = run("diagnose " + data("broken.npz"));
  EXPECT_EQ(outcome.status, 1);
  for (const std::string fault : {"infeasible", "label out of range", "label is blank", "NaN", "+inf", "empty frame",
                                  "bad input length", "zero probability"})
    EXPECT_THAT(outcome.out, HasSubstr(fault));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\033")));
}

TEST_F(DiagnoseCommand, ColoursWhenAskedTo) {
  EXPECT_THAT(run("diagnose --colour " + data("broken.npz")).out, HasSubstr("\033"));
}

TEST_F(DiagnoseCommand, TellsWhatItCannotRead) {
  const Outcome missing = run("diagnose nowhere.npz");
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.out + missing.err, HasSubstr("nowhere.npz"));
  std::ofstream(folder_ / "text.npz") << "no archive";
  EXPECT_EQ(run("diagnose text.npz").status, 2);
}

}  // namespace
}  // namespace assay::validation
