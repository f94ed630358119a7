// How far a run reached, as the gate prints it.
#include "validation/report/reach_text.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/matchers.h"
#include "tests/validation/sample_report.h"
#include "validation/report/gate_text.h"

namespace assay::validation {
namespace {

TEST(ReachText, TellsTheWidestIntervalThatWasNotComparedWithTheReference) {
  GateRecord record = sample_run("cpu");
  for (auto& property : record.properties) property.sizes.clear();
  EXPECT_THAT(reach_text(record), Not(HasSubstr("widest interval")));
  record.properties[0].sizes = {{"B", {1, 2, 131073}}, {"T", {0, 1, 9, 1025}}};
  record.properties[1].sizes = {{"T", {2, 3, 100, 900}}};
  const std::string text = reach_text(record);
  EXPECT_THAT(text, HasSubstr("    widest interval of sizes that no property compared with the reference\n"
                              "      B 3 to 131072, T 10 to 99\n"));
  record.properties[1].reached["T"] = {1025, 0, 131073, 0};
  EXPECT_THAT(reach_text(record), HasSubstr("B 3 to 131072, T 1026 to 131073\n"))
      << "a size that was due is judged by none";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(ReachText, TellsWhichSizesWereLargeTogetherInOneCase) {
  GateRecord record = sample_run("cpu");
  EXPECT_THAT(reach_text(record), Not(HasSubstr("large together")));
  record.properties[0].together.take({{"B", 200}, {"S", 7}, {"T", 4}});
  record.properties[0].together.take({{"B", 5}, {"S", 30}, {"T", 1000}});
  record.properties[1].together.take({{"B", 150}, {"S", 0}, {"T", 300}});
  EXPECT_THAT(reach_text(record), HasSubstr("    large together in one case\n"
                                            "      B=200 S=7, B=5 S=30 T=1000, B=150 T=300, S=30 T=1000\n"))
      << "of each pair, and of all, the case whose smallest extent is the largest";
}

TEST(GateText, TheLastLineNamesTheExtentsThatTheKernelDeclaresToBeSmall) {
  GateRecord record = sample_run("cpu");
  EXPECT_THAT(conclusion_text(record, 1, false), HasSubstr(" mistrusted, in 1.0 s\n"));
  record.narrow = {{"D", 1}, {"N", 8}};
  EXPECT_THAT(conclusion_text(record, 1, false), HasSubstr(" mistrusted, in 1.0 s, for D <= 1 and N <= 8 alone\n"));
}

TEST(ReachText, SaysInWordsThatNoLargeSizeWasJudged) {
  GateRecord record = sample_run("cpu");
  record.properties[0].reached["M"] = {0, 0, 0, 0};
  EXPECT_THAT(reach_text(record), HasSubstr("    M: no large size was judged\n"));
  record.properties[0].reached["M"].due = 129;
  EXPECT_THAT(reach_text(record), HasSubstr("    M: no large size was judged; not reached: 129\n"));
}

/// Whatever its name is.
TEST(ReachText, HasALineForEachPropertyOfFarArrays) {
  GateRecord record = sample_run("cpu");
  record.properties[0].reached["T"] = {1025, 0, 131073, 0};
  for (auto& property : record.properties) property.is_far = false;
  EXPECT_THAT(reach_text(record), HasSubstr("arrays past 2^32 elements: not reached\n"));
  record.properties[0].is_far = true;
  EXPECT_THAT(reach_text(record), HasSubstr("    " + record.properties[0].claim + " by loss\n"));
  EXPECT_THAT(reach_text(record), Not(HasSubstr("arrays past 2^32 elements: not reached")));
}

/// Whatever words the reason has.
TEST(GateText, ListsWhatTheKernelDoesNotClaimOrDeclined) {
  GateRecord record = sample_run("cpu");
  for (auto& one : record.properties) one.cases = 0;
  PropertyRecord& property = record.properties[4];
  property.cases = 24;
  property.skipped = {
      {"the kernel does not do a bias", 3}, {"the kernel does not do V > 9", 4}, {"the kernel does not like it", 5}};
  property.skip_causes = {{"the kernel does not do a bias", SkipCause::not_claimed},
                          {"the kernel does not do V > 9", SkipCause::declined}};
  const std::string text = conclusion_text(record, 1, false);
  EXPECT_THAT(text,
              HasSubstr("  judged 50 % of the cases; skipped, for the kernel does not\n    do V > 9 4, do a bias 3\n"));
  EXPECT_THAT(text, Not(HasSubstr("    like it")));
}

}  // namespace
}  // namespace assay::validation
