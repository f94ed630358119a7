// JUnit XML reports, as a reader of XML sees them.
#include "validation/report/junit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <string>

#include "tests/matchers.h"
#include "tests/validation/sample_report.h"

namespace assay::validation {
namespace {

class ReportJunit : public testing::Test {
 protected:
  ReportJunit() {
    const auto result = document_.load_string(to_junit(sample_report()).c_str());
    EXPECT_TRUE(result) << result.description();
    suites_ = document_.child("testsuites");
  }

  pugi::xml_node test(const char* property) const {
    return suites_.child("testsuite").find_child_by_attribute("testcase", "name", property);
  }

  static std::string option(const pugi::xml_node& node, const char* name) {
    return node.child("properties").find_child_by_attribute("property", "name", name).attribute("value").value();
  }

  pugi::xml_document document_;
  pugi::xml_node suites_;
};

TEST_F(ReportJunit, HoldsTheErrorAsFirstMetAndAsShrunk) {
  EXPECT_EQ(option(test("gradient"), "first_error"), "7.5");
  EXPECT_EQ(option(test("gradient"), "first_share"), "inf");
  EXPECT_EQ(option(test("gradient"), "error"), "0.5");
  EXPECT_EQ(option(test("gradient"), "share"), "1.25");
  EXPECT_THAT(test("gradient").child("failure").text().get(), HasSubstr("as first met  error 7.5, at loss[3]"));
}

TEST_F(ReportJunit, CountsItsTests) {
  for (const auto& node : {suites_, suites_.child("testsuite")}) {
    EXPECT_EQ(node.attribute("tests").as_int(), 5);
    EXPECT_EQ(node.attribute("failures").as_int(), 2) << "what is not to be trusted has not passed";
    EXPECT_EQ(node.attribute("errors").as_int(), 1);
    EXPECT_EQ(node.attribute("skipped").as_int(), 1);
    EXPECT_EQ(node.attribute("time").as_double(), 6.25);
  }
}

TEST_F(ReportJunit, SaysWhatWasAsked) {
  const auto suite = suites_.child("testsuite");
  EXPECT_EQ(suite.attribute("name").value(), fmt::format("ctc.{}", hostile_name));
  EXPECT_EQ(option(suite, "kernel"), hostile_name);
  EXPECT_EQ(option(suite, "seed"), "18446744073709551615");
  EXPECT_EQ(option(suite, "digits"), "60");
  EXPECT_EQ(option(suite, "given"), "speech.npz, T=1500");
  EXPECT_EQ(option(suite, "complete"), "true");
}

TEST_F(ReportJunit, HasAnElementForEachVerdict) {
  EXPECT_FALSE(test("loss").child("failure") || test("loss").child("error") || test("loss").child("skipped"));
  EXPECT_STREQ(test("gradient").child("failure").attribute("type").value(), "fail");
  EXPECT_TRUE(test("refusals").child("error"));
  EXPECT_STREQ(test("shift").child("failure").attribute("type").value(), "mistrusted");
  EXPECT_THAT(test("shift").child("failure").text().get(), HasSubstr("not certain"));
  EXPECT_STREQ(test("linearity").child("skipped").attribute("message").value(),
               "no frames (40 cases); the kernel does not do S > 34 (200 cases)");
  for (const auto& one : suites_.child("testsuite").children("testcase"))
    EXPECT_EQ(one.attribute("classname").value(), fmt::format("ctc.{}", hostile_name));
}

TEST_F(ReportJunit, TellsWhatFailedAndHowToReproduceIt) {
  const std::string line = sample_report().runs[0].properties[1].failure->reproducer;
  const std::string text = test("gradient").child("failure").text().get();
  EXPECT_THAT(text, HasSubstr("got      nan & <worse>?")) << "a control character has no place in XML";
  EXPECT_THAT(text, HasSubstr(line));
  EXPECT_THAT(text, HasSubstr("usual cause\n  0 / 0, or -inf - (-inf)"));
  EXPECT_EQ(option(test("gradient"), "reproducer"), line);
  EXPECT_EQ(option(test("gradient"), "worst_share"), "nan");
  EXPECT_EQ(option(test("gradient"), "elements"), "1000");
  EXPECT_EQ(option(test("gradient"), "judged"), "900");
  EXPECT_THAT(to_junit(sample_report()), Not(HasSubstr("&#1;")));
}

}  // namespace
}  // namespace assay::validation
