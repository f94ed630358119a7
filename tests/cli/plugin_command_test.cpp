// assay gate and replay on plug-ins: what hangs and what overruns is a verdict with a line that replays it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"

namespace assay::validation {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class PluginCommand : public Program {
 protected:
  PluginCommand() {
    for (const char* const name :
         {"minimal", "writes_behind", "hangs", "prints", "newer_version", "every_seventh_call"})
      std::filesystem::copy(std::string(ASSAY_TEST_PLUGINS "/") + name + ".so", folder_);
  }
};

TEST_F(PluginCommand, JudgesALibraryThatIsNamed) {
  const Outcome outcome = run("gate ctc --quick --reach none --cases 10 --kernel ./minimal.so");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("assay gate ctc: kernel ./minimal.so"));
  EXPECT_THAT(outcome.out, HasSubstr("./minimal.so: 0 of "));
}

TEST_F(PluginCommand, ReplaysAFailure) {
  const Outcome outcome =
      run("gate ctc --quick --reach none --cases 5 --kernel writes_behind.so --filter '^(gradient|repeat)$'");
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("past its "));
  EXPECT_THAT(outcome.out, HasSubstr("writes_behind.so: 2 of 2 properties failed"));
  const auto lines = replay_lines(outcome.out);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0], HasSubstr("kernel=writes_behind.so"));
  EXPECT_EQ(run(lines[0]).status, 1);
  EXPECT_EQ(run(replaced(lines[0], "writes_behind.so", "./minimal.so")).status, 0);
}

/// A line that replays the case alone would pass without a word: the line carries the calls before it.
TEST_F(PluginCommand, ReproducesAFailureThatDependsOnHistoryByItsSequence) {
  const Outcome outcome =
      run("gate ctc --generated --cases 30 --seed 3 --kernel ./every_seventh_call.so --filter 'loss$' --json run.json");
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("this case alone passes: the kernel's result depends on earlier calls"));
  const auto lines = replay_lines(outcome.out);
  ASSERT_THAT(lines, SizeIs(1)) << outcome.out;
  EXPECT_THAT(lines[0], HasSubstr(" times=7 "));
  EXPECT_EQ(run(lines[0]).status, 1);
  EXPECT_EQ(run(replaced(lines[0], " times=7 ", " times=6 ")).status, 0);
  EXPECT_EQ(run("replay --from run.json").status, 1);
}

TEST_F(PluginCommand, EndsACallThatHangs) {
  const Outcome outcome =
      run("replay --time-limit 0.2 'property=loss kernel=./hangs.so T=1 B=1 C=2 S=0 blank=0 input=logits "
          "variable=logits layout=padded reduction=none zero_infinity=0 input_lengths=1 target_lengths=0 targets= "
          "upstream= activations=0,0'");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("did not return within 0.2 s"));
}

TEST_F(PluginCommand, ShowsNothingOfWhatALibraryPrints) {
  const Outcome outcome = run("gate ctc --quick --reach none --cases 5 --kernel ./prints.so --filter '^loss$'");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("property pass")));
}

TEST_F(PluginCommand, RefusesALibraryThatIsNone) {
  const Outcome missing = run("gate --kernel ./none.so");
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("there is no such file"));
  const Outcome newer = run("gate --kernel ./newer_version.so");
  EXPECT_EQ(newer.status, 2);
  EXPECT_THAT(newer.err, HasSubstr("version 2"));
  const Outcome other = run("gate svd --kernel ./minimal.so");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("it exports assay_ctc"));
}

}  // namespace
}  // namespace assay::validation
