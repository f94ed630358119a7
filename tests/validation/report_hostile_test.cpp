// Names and messages that hold everything that could do harm: each format of a report stays valid, clean and complete.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include <string>

#include "tests/hostile.h"
#include "tests/matchers.h"
#include "tests/validation/sample_report.h"
#include "validation/report/html.h"
#include "validation/report/json.h"
#include "validation/report/junit.h"

namespace assay::validation {
namespace {

/// A report in which every text is hostile.
Report hostile_report() {
  Report report = sample_report(hostile_text);
  GateRecord& run = report.runs[0];
  run.question.given = {hostile_text};
  for (auto& property : run.properties) {
    property.claim += hostile_text;
    property.worst.place = property.worst_case = hostile_text;
    if (!property.mistrust.empty()) property.mistrust = hostile_text;
    if (!property.skipped.empty()) property.skipped = {{hostile_text, property.cases}};
    if (!property.failure) continue;
    FailureRecord& failure = *property.failure;
    failure.origin = failure.explanation = failure.why.text = failure.why.place = hostile_text;
    failure.reproducer = "./assay replay 'kernel=" + hostile_text + "'";
    failure.why.sources = {{hostile_text, {hostile_text}, {{1, 0, 0, hostile_text}}}};
  }
  return report;
}

TEST(HostileReport, IsValidJunit) {
  const std::string text = to_junit(hostile_report());
  EXPECT_TRUE(is_clean(text));
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text.c_str()));
  const auto suite = document.child("testsuites").child("testsuite");
  const std::string name = suite.attribute("name").value();
  EXPECT_TRUE(is_clean(name));
  EXPECT_THAT(name, HasSubstr("</script><b>&"));
  const auto failure = suite.find_child_by_attribute("testcase", "name", "gradient").child("failure");
  EXPECT_THAT(failure.text().get(), HasSubstr("</script><b>&"));
}

TEST(HostileReport, IsValidJsonThatIsReadAgain) {
  const std::string text = to_json(hostile_report());
  EXPECT_TRUE(is_clean(text));
  const Report read = report_from_json(text, "hostile.json");
  EXPECT_EQ(read.runs[0].question.kernel, printable(hostile_text));
  EXPECT_EQ(to_json(read), text);
}

TEST(HostileReport, IsOneScriptOfAnHtmlPage) {
  const std::string page = to_html(hostile_report());
  EXPECT_TRUE(is_clean(page));
  const std::string json = json_of_html(page, "page.html");
  EXPECT_THAT(json, Not(HasSubstr("<")));
  EXPECT_EQ(nlohmann::json::parse(json)["runs"][0]["kernel"], printable(hostile_text));
}

TEST(EmptyReport, SaysThatNothingWasJudged) {
  Report report = sample_report("cpu");
  report.runs[0].properties = {sample_property("loss", Verdict::skipped, 0)};
  EXPECT_EQ(exit_status(report), 1);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(to_junit(report).c_str()));
  EXPECT_EQ(document.child("testsuites").attribute("failures").as_int(), 1);
  EXPECT_EQ(document.child("testsuites").attribute("tests").as_int(), 2);
  report.runs[0].shard.total = 2;
  EXPECT_EQ(exit_status(report), 0) << "another shard may have judged";
}

}  // namespace
}  // namespace assay::validation
