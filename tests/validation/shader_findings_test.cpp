// Findings in SARIF and as annotations: each required field is there, and a document without it is refused; what a
// message of clang becomes; letters that have a meaning in either format.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "validation/shader/annotations.h"
#include "validation/shader/finding.h"
#include "validation/shader/sarif.h"

namespace assay::validation {
namespace {

using nlohmann::json;

std::vector<ShaderFinding> some_findings() {
  ShaderFinding race{"racecheck", false, "kernel k: two threads", "put a barrier", {"a folder/k.metal", 3, 7}};
  race.other_message = "earlier read";
  race.other = {"/elsewhere/h.h", 9, 0};
  ShaderFinding allowed{"simdcheck", true, "not all lanes", "move it", {"k.metal", 4, 1}};
  allowed.reason = "lanes are one";
  return {race, allowed, {"run", false, "it did not end", "look for a loop", {"k.metal", 0, 0}}};
}

bool is_text(const json& object, const char* key) {
  return object.contains(key) && object[key].is_string() && !object[key].get<std::string>().empty();
}

bool is_location(const json& location) {
  const json place = location.value("physicalLocation", json::object());
  const json region = place.value("region", json{{"startLine", 1}});
  return is_text(place.value("artifactLocation", json::object()), "uri") && region.value("startLine", 0) >= 1 &&
         region.value("startColumn", 1) >= 1;
}

/// What SARIF 2.1.0 (sections 3.13 to 3.35) requires of a result, and code scanning besides.
bool is_result(const json& result, const json& rules) {
  const std::vector<std::string> levels = {"none", "note", "warning", "error"};
  if (!is_text(result, "ruleId") || !is_text(result.value("message", json::object()), "text")) return false;
  if (std::ranges::find(levels, result.value("level", "")) == levels.end()) return false;
  const std::size_t index = result.value("ruleIndex", rules.size());
  if (index >= rules.size() || rules[index]["id"] != result["ruleId"]) return false;
  if (result.value("locations", json::array()).empty()) return false;
  for (const char* const list : {"locations", "relatedLocations"})
    for (const json& location : result.value(list, json::array()))
      if (!is_location(location)) return false;
  for (const json& suppression : result.value("suppressions", json::array()))
    if ((suppression.value("kind", "") != "inSource" && suppression.value("kind", "") != "external") ||
        !is_text(suppression, "justification"))
      return false;
  return true;
}

bool is_sarif(const json& all) {
  if (all.value("version", "") != "2.1.0" || !is_text(all, "$schema") || all.value("runs", json::array()).size() != 1)
    return false;
  const json run = all["runs"][0], driver = run.value("/tool/driver"_json_pointer, json::object());
  if (!is_text(driver, "name") || !run.contains("results") || !run["results"].is_array()) return false;
  for (const json& rule : driver.value("rules", json::array()))
    if (!is_text(rule, "id") || !is_text(rule.value("shortDescription", json::object()), "text")) return false;
  return std::ranges::all_of(
      run["results"], [&](const json& result) { return is_result(result, driver.value("rules", json::array())); });
}

TEST(Sarif, HasWhatTheFormatRequires) {
  const json sarif = json::parse(to_sarif(some_findings()));
  EXPECT_TRUE(is_sarif(sarif)) << sarif.dump(2);
  EXPECT_TRUE(is_sarif(json::parse(to_sarif({}))));
  const json results = sarif["runs"][0]["results"];
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0]["message"]["text"], "kernel k: two threads. To mend it, put a barrier.");
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20folder/k.metal");
  EXPECT_EQ(results[0]["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"], "file:///elsewhere/h.h");
  EXPECT_EQ(results[1]["level"], "warning");
  EXPECT_EQ(results[1]["suppressions"][0]["justification"], "lanes are one");
  EXPECT_EQ(results[1]["suppressions"][0]["kind"], "inSource");
  ShaderFinding elsewhere = some_findings()[1];
  elsewhere.is_allowed_in_source = false;
  const json other = json::parse(to_sarif({elsewhere}));
  EXPECT_TRUE(is_sarif(other));
  EXPECT_EQ(other["runs"][0]["results"][0]["suppressions"][0]["kind"], "external");
  EXPECT_FALSE(results[2]["locations"][0]["physicalLocation"].contains("region"));
}

/// The judge above refuses each document that lacks something.
TEST(Sarif, IsRefusedWithoutAnyOfIt) {
  const std::vector<std::string> required = {"/version",
                                             "/runs",
                                             "/runs/0/tool/driver/name",
                                             "/runs/0/tool/driver/rules/2/id",
                                             "/runs/0/results",
                                             "/runs/0/results/0/ruleId",
                                             "/runs/0/results/0/level",
                                             "/runs/0/results/0/message/text",
                                             "/runs/0/results/0/locations",
                                             "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri",
                                             "/runs/0/results/0/locations/0/physicalLocation/region/startLine",
                                             "/runs/0/results/1/suppressions/0/kind"};
  for (const std::string& place : required) {
    json sarif = json::parse(to_sarif(some_findings()));
    const json::json_pointer at(place);
    ASSERT_TRUE(sarif.contains(at)) << place;
    sarif[at.parent_pointer()].erase(at.back());
    EXPECT_FALSE(is_sarif(sarif)) << place;
  }
}

TEST(Annotations, AreOneLineEachWithoutWhatIsAllowed) {
  ShaderFinding odd{"lint", true, "100% of it\nis wrong", "mend: it, all", {"a,b:c.metal", 2, 0}};
  EXPECT_EQ(to_annotations({odd}),
            "::warning file=a%2Cb%3Ac.metal,line=2,title=lint::100%25 of it%0Ais wrong. To mend it, mend: it, all.\n");
  const std::string text = to_annotations(some_findings());
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_THAT(text, testing::HasSubstr("::error file=k.metal,title=run::it did not end."));
}

TEST(Findings, AreReadFromTheCompilersMessages) {
  const auto findings = findings_in(
      "k.metal:3:5: error: pointer to another address space\n  code\nh.h:1:2: note: declared here\n"
      "k.metal:9:1: warning: variable 'x' is uninitialized when used here\n",
      "lint");
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].position, (metal::emulator::SourcePosition{"k.metal", 3, 5}));
  EXPECT_EQ(findings[0].message, "pointer to another address space");
  EXPECT_EQ(findings[0].other_message, "declared here");
  EXPECT_EQ(findings[0].other.file, "h.h");
  EXPECT_THAT(findings[0].advice, testing::HasSubstr("address space"));
  EXPECT_THAT(findings[0].text, testing::HasSubstr("  code\nh.h:1:2: note"));
  EXPECT_TRUE(findings[1].is_warning);
  EXPECT_FALSE(passed(findings));
  EXPECT_TRUE(passed({findings[1]}));
  EXPECT_THAT(findings_in("no place at all", "compile"), IsEmpty());
}

TEST(Findings, MayHaveLinesOfAnyLength) {
  const std::string letters(10'000'000, 'x'), colons(1'000'000, ':');
  const auto findings = findings_in(
      letters + "\nk.metal:3:5: error: " + letters + "\na:1:1" + colons + "9:9: fatal error: it is\n", "compile");
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].position.line, 3U);
  EXPECT_EQ(findings[0].message, letters);
  EXPECT_EQ(findings[1].position.file, "a:1:1" + colons.substr(1));
  EXPECT_EQ(findings[1].message, "it is");
}

TEST(Findings, OfEveryCheckHaveARule) {
  using metal::emulator::Check;
  for (const Check check : {Check::memcheck, Check::initcheck, Check::racecheck, Check::synccheck, Check::simdcheck,
                            Check::intcheck, Check::numcheck, Check::schedcheck})
    EXPECT_TRUE(std::ranges::any_of(
        finding_rules(), [&](const FindingRule& rule) { return std::string(rule.name) == to_string(check); }));
}

}  // namespace
}  // namespace assay::validation
