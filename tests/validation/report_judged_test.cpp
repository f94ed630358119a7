// How much a run judged, as the gate prints it.
#include "validation/report/judged_text.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/matchers.h"
#include "tests/validation/sample_report.h"

namespace assay::validation {
namespace {

TEST(JudgedText, SaysHowManyElementsOfHowMany) {
  GateRecord record = sample_run("cpu");
  record.properties[0].judged = {1000, 1000, 3.1e-5};
  record.properties[0].thin = 0;
  const std::string text = judged_text(record);
  EXPECT_THAT(text, HasSubstr("    loss all 1000 (3.1e-05), gradient 900 of 1000 (0.25; too few in 12 of 200 cases),"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(JudgedText, SaysAboveWhichSizesTooLittleIsJudged) {
  GateRecord record = sample_run("cpu");
  for (auto& property : record.properties) property.judged_sizes.clear();
  record.properties[1].judged_sizes["T"].add(128, true);
  record.properties[1].judged_sizes["T"].add(130, false);
  record.properties[1].judged_sizes["C"].add(9, true);
  EXPECT_THAT(judged_text(record),
              HasSubstr("gradient 900 of 1000 (0.25; too few in 12 of 200 cases, and wherever T >"));
}

TEST(JudgedText, LeavesOutPropertiesThatCompareNothing) {
  GateRecord record = sample_run("cpu");
  for (auto& property : record.properties) {
    property.judged = {};
    property.measured = property.thin = 0;
  }
  EXPECT_EQ(judged_text(record), "");
  record.properties[1].judged = {2, 2, 0};
  record.properties[1].measured = 1;
  EXPECT_THAT(judged_text(record), EndsWith("\n    gradient all 2 (0)\n"));
}

}  // namespace
}  // namespace assay::validation
