// assay gate's reports, assay merge, and assay replay --from: files that are written, put together and read again.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <pugixml.hpp>
#include <sstream>
#include <string>

#include "tests/cli/program.h"
#include "tests/matchers.h"
#include "validation/report/json.h"

namespace assay::validation {
namespace {

class ReportCommand : public Program {
 protected:
  std::string text_of(const std::string& name) const {
    return (std::ostringstream() << std::ifstream(folder_ / name).rdbuf()).str();
  }
  Report report_of(const std::string& name) const { return report_from_json(text_of(name), name); }

  /// As JSON, but for the times.
  static std::string but_for_time(Report report) {
    for (auto& run : report.runs)
      for (auto& property : run.properties) property.seconds = 0;
    return to_json(report);
  }

  /// The program with variables before it; `arguments` as of run.
  Outcome run_with(const std::string& variables, const std::string& arguments) const {
    return shell(variables + " '" ASSAY_PROGRAM "' " + arguments);
  }

  const std::string broken_ =
      "gate --kernel fault:skip-over-repeat --cases 40 --quick --reach none --filter '^(loss|shift)$' ";
};

TEST_F(ReportCommand, WantsAFileForEachFormat) {
  EXPECT_EQ(run(broken_ + "--json run --html ./run").status, 2);
  EXPECT_THAT(run(broken_ + "--json run --junit run").err, HasSubstr("run: expected a file for each"));
  EXPECT_THAT(run(broken_ + "--junit -").err, HasSubstr("only JSON is written to standard output"));
}

TEST_F(ReportCommand, WritesAllThreeFormats) {
  const Outcome outcome = run(broken_ + "--json run.json --junit run.xml --html run.html");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("1 of 2 properties failed")) << "the table is there all the same";
  const Report report = report_of("run.json");
  EXPECT_TRUE(report.complete);
  ASSERT_THAT(report.runs, SizeIs(1));
  EXPECT_EQ(report.runs[0].question.kernel, "fault:skip-over-repeat");
  ASSERT_THAT(report.runs[0].properties, SizeIs(2));
  const auto lines = replay_lines(outcome.out);
  ASSERT_THAT(lines, SizeIs(1));
  const auto& failed = report.runs[0].properties[1];
  EXPECT_EQ(failed.property, "loss");
  ASSERT_TRUE(failed.failure.has_value());
  EXPECT_EQ(failed.failure->reproducer, "./assay " + lines[0]);
  ASSERT_FALSE(failed.failure->pictures.empty());
  EXPECT_THAT(failed.failure->pictures.back().title, HasSubstr("share of its bound"));
  pugi::xml_document xml;
  ASSERT_TRUE(xml.load_string(text_of("run.xml").c_str()));
  EXPECT_EQ(xml.child("testsuites").attribute("failures").as_int(), 1);
  EXPECT_THAT(text_of("run.html"), StartsWith("<!doctype html>"));
}

TEST_F(ReportCommand, LeavesStandardOutputToTheJson) {
  const Outcome outcome = run("gate --kernel cpu --quick --reach none --cases 5 --filter '^shift$' --json -");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(report_from_json(outcome.out, "stdout").complete);
  EXPECT_THAT(outcome.err, HasSubstr("1 properties failed"));
}

TEST_F(ReportCommand, HoldsARunForEachArithmetic) {
  EXPECT_EQ(run("gate --quick --reach none --cases 3 --filter '^shift$' --arithmetic all --json run.json").status, 0);
  const Report report = report_of("run.json");
  ASSERT_THAT(report.runs, SizeIs(3));
  EXPECT_EQ(report.runs[0].question.kernel, "metal-emulated-safe");
  EXPECT_EQ(report.runs[2].question.kernel, "metal-emulated-fast");
}

TEST_F(ReportCommand, RefusesAFolderThatIsNotThereBeforeItRuns) {
  for (const std::string option : {"--json", "--junit", "--html"}) {
    const Outcome outcome = run("gate " + option + " nowhere/run");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("nowhere"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("verdict")));
  }
}

TEST_F(ReportCommand, ReplaysTheFailuresOfEachFormat) {
  run(broken_ + "--json run.json --junit run.xml --html run.html");
  for (const std::string file : {"run.json", "run.xml", "run.html"}) {
    const Outcome outcome = run("replay --from " + file);
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("loss             fail")) << file;
    EXPECT_THAT(outcome.out, HasSubstr(file + ": 1 failures replayed"));
    EXPECT_EQ(run("replay --from " + file + " --property loss").status, 1);
    expect_refused("replay --from " + file + " --property shift", "holds no failure of property 'shift'");
  }
  run("gate --kernel cpu --quick --reach none --cases 3 --filter '^shift$' --json run.json");
  EXPECT_EQ(run("replay --from run.json").status, 0) << "nothing failed, and nothing fails";
}

TEST_F(ReportCommand, ReplaysNothingButReports) {
  for (const std::string content : {"", "{", "<p>", "<!doctype html>", "<testsuites name=\"other\"/>", "[]"}) {
    std::ofstream(folder_ / "other") << content;
    expect_refused("replay --from other", "other: ");
  }
  EXPECT_EQ(run("replay").status, 2);
  EXPECT_EQ(run("replay --from nowhere.json").status, 2);
  EXPECT_EQ(run("replay --property loss 'T=1'").status, 2);
}

TEST_F(ReportCommand, MergesShardsIntoTheSingleRun) {
  const std::string command =
      "gate --kernel cpu --cases 450 --quick --reach none --filter '^(inside|outside)$' --json ";
  ASSERT_EQ(run(command + "whole.json").status, 0);
  for (const std::string index : {"0", "1", "2"}) {
    const Outcome shard = run_with("GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=" + index, command + index + ".json");
    ASSERT_EQ(shard.status, 0) << shard.err;
    EXPECT_THAT(shard.out, HasSubstr("shard " + index + " of 3"));
  }
  const Outcome merged = run("merge 2.json 0.json 1.json --json merged.json --junit merged.xml --html merged.html");
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("cpu: 0 of 2 properties failed"));
  EXPECT_EQ(but_for_time(report_of("merged.json")), but_for_time(report_of("whole.json")));
  EXPECT_THAT(text_of("merged.xml"), HasSubstr("tests=\"2\""));
  expect_refused("merge 0.json 2.json", "GTEST_SHARD_INDEX=1");
}

TEST_F(ReportCommand, RefusesShardsThatAreNone) {
  const Outcome outcome =
      run_with("GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=3", "gate --quick --reach none --kernel cpu");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("GTEST_SHARD_INDEX is '3'"));
}

/// Ctrl-C while it runs, then the same command with --resume, against a run that nobody stopped.
TEST_F(ReportCommand, IsInterruptedAndGoesOn) {
  const std::string command = "gate --kernel cpu --cases 1000 --quick --reach none --filter '^(inside|outside)$' ";
  // The report is first written once a unit is done: from then on there is something to resume.
  const Outcome stopped =
      shell("'" ASSAY_PROGRAM "' " + command +
            "--json run.json & pid=$!; while [ ! -e run.json ]; do sleep 0.01; done; kill -INT $pid; wait $pid");
  ASSERT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("repeat the command with --resume run.json"));
  const Report before = report_of("run.json");
  EXPECT_FALSE(before.complete);
  EXPECT_GT(before.runs[0].units_done, 0);
  EXPECT_LT(before.runs[0].units_done, before.runs[0].units);
  EXPECT_EQ(run("merge run.json").status, 2) << "what is not finished is not merged";
  expect_refused(command + "--seed 2 --resume run.json", "seed is '1'");
  const Outcome resumed = run(command + "--resume run.json");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  ASSERT_EQ(run(command + "--json whole.json").status, 0);
  EXPECT_EQ(but_for_time(report_of("run.json")), but_for_time(report_of("whole.json")));
}

}  // namespace
}  // namespace assay::validation
