// Ill-conditioned results and the growth of errors, as the gate prints them.
#include "validation/report/condition_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>

#include "tests/matchers.h"
#include "tests/validation/sample_report.h"

namespace assay::validation {
namespace {

std::map<std::int64_t, double> errors_like(double power) {
  std::map<std::int64_t, double> errors;
  for (const std::int64_t size : {1, 9, 129, 1025, 4097})
    errors[size] = 1e-7 * std::pow(static_cast<double>(size), power);
  return errors;
}

TEST(Conditions, AreCountedFromThreeDigitsOnAndFromOneOfANarrowType) {
  Evidence evidence;
  for (const double change : {0.9e-3, 1.1e-3}) evidence.weigh(-1, change, 0x1p-24);
  EXPECT_EQ(evidence.weighed, 2);
  EXPECT_EQ(evidence.ill_conditioned, 1);
  EXPECT_NEAR(evidence.condition, 1.1e-3 * 0x1p24, 1);
  for (const double change : {9 * 0x1p-8, 11 * 0x1p-8, std::nan("")}) evidence.weigh(1, change, 0x1p-8);
  EXPECT_EQ(evidence.ill_conditioned, 3) << "a NaN among them";
  evidence.weigh(0, 1e-9, 0x1p-24);
  EXPECT_EQ(evidence.ill_conditioned, 4);
  EXPECT_TRUE(std::isfinite(evidence.condition));
}

TEST(Conditions, GrowthIsThatOfTheNearestPower) {
  EXPECT_EQ(growth_of(errors_like(0.1)), "none");
  EXPECT_EQ(growth_of(errors_like(0.5)), "sqrt");
  EXPECT_EQ(growth_of(errors_like(1)), "linear");
  EXPECT_EQ(growth_of(errors_like(2)), "linear");
  EXPECT_EQ(growth_of({{9, 1e-7}, {4097, 1e-5}}), "") << "two sizes";
  EXPECT_EQ(growth_of({{9, 1e-7}, {17, 2e-7}, {100, 9e-7}}), "") << "sizes that are near each other";
  EXPECT_EQ(growth_of({{9, 0}, {129, 0}, {4097, 1e-7}}), "") << "errors of 0 say nothing";
}

TEST(Conditions, ArePrintedInLinesThatFit) {
  GateRecord record = sample_run("cpu");
  EXPECT_EQ(condition_text(record), "");
  for (auto& property : record.properties) {
    property.evidence.weighed = 123'456;
    property.evidence.ill_conditioned = 5'000;
    property.evidence.condition = 2e7;
  }
  record.properties[0].errors["T"] = errors_like(0.5);
  record.properties[1].errors["T"] = errors_like(0);
  const std::string text = condition_text(record);
  EXPECT_THAT(text, HasSubstr("    loss 4.05 % of 123456 (up to 2e+07), "));
  EXPECT_THAT(text, HasSubstr("the error of loss grows like sqrt(T): 6.4e-06 of the result at T = 4097\n"));
  EXPECT_EQ(text.find("the error of gradient"), std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

}  // namespace
}  // namespace assay::validation
