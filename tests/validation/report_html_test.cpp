// The HTML report as a browser shows it: a headless Chromium renders it, and its document is looked at.
#include "validation/report/html.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "tests/matchers.h"
#include "tests/validation/sample_report.h"
#include "validation/report/json.h"

namespace assay::validation {
namespace {

std::string output_of(const std::string& command, int& status) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const auto count = std::fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), count);
  const int ended = pclose(pipe);
  status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128;
  return text;
}

struct Rendered {
  std::string document;  ///< after the page's script
  std::string log;       ///< what the page's console said among it
};

/// The page, in a browser of this machine.
Rendered rendered(const std::string& page) {
  std::string pattern = (std::filesystem::temp_directory_path() / "assay-page-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  std::ofstream(folder / "report.html") << page;
  const std::string in_folder = "cd '" + folder.string() + "' && ";
  int status = 0;
  Rendered result;
  result.document = output_of(in_folder +
                                  "timeout 60 \"$(command -v chromium || command -v chromium-browser || command -v "
                                  "google-chrome)\" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
                                  "--user-data-dir=profile --enable-logging=stderr --dump-dom report.html 2>log.txt",
                              status);
  result.log = (std::ostringstream() << std::ifstream(folder / "log.txt").rdbuf()).str();
  std::filesystem::remove_all(folder);
  EXPECT_EQ(status, 0) << "chromium did not run: apt-get install chromium, or see to what it says:\n" << result.log;
  return result;
}

int times(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return static_cast<int>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()));
}

/// The document without its scripts, the report among them.
std::string body_of(const std::string& document) {
  return document.substr(0, document.find("<script"));
}

TEST(ReportHtml, IsShownByABrowser) {
  const Rendered page = rendered(to_html(sample_report()));
  EXPECT_THAT(page.document, HasSubstr("data-rendered=\"yes\""));
  EXPECT_THAT(page.log, Not(HasSubstr("CONSOLE"))) << "no error, and no word of a policy that was broken";
  const std::string body = body_of(page.document);
  for (const auto& [property, verdict] :
       {std::pair{"loss", "pass"}, std::pair{"gradient", "fail"}, std::pair{"refusals", "error"},
        std::pair{"shift", "mistrusted"}, std::pair{"linearity", "skipped"}}) {
    EXPECT_EQ(times(body, std::string("<tr data-property=\"") + property + "\" data-verdict=\"" + verdict + "\">"), 1);
    EXPECT_EQ(times(body, std::string("<td class=\"verdict ") + verdict + "\">[^<]* " + verdict + "</td>"), 1)
        << "a verdict is a word, not a colour alone";
  }
  EXPECT_EQ(times(body, "<svg class=\"chart\""), 5) << "a histogram for each property";
  EXPECT_EQ(times(body, "<p>Judged 900 of 1000 elements, with bounds of up to 0.25; too few in 12 of 200 cases.</p>"),
            5);
  EXPECT_EQ(times(body, "data-failure="), 2);
  EXPECT_EQ(times(body, "<canvas role=\"img\" tabindex=\"0\" data-rows=\"7\" data-columns=\"12\""), 2);
  EXPECT_EQ(times(body, "<canvas role=\"img\" tabindex=\"0\" data-rows=\"5\" data-columns=\"12\""), 2);
  EXPECT_EQ(times(body, "2 not finite"), 2) << "NaN and infinity are in the legend";
  EXPECT_EQ(times(body, "<button type=\"button\""), 2);
  EXPECT_THAT(body, HasSubstr("./assay replay 'operation=ctc property=gradient kernel=it'\\''s T=2 B=1'"));
  EXPECT_THAT(body, HasSubstr("<p>Usual cause: 0 / 0, or -inf - (-inf), where an output has underflowed"));
  EXPECT_THAT(body, HasSubstr("1 kinds never met: zero_infinity"));
  EXPECT_THAT(body, HasSubstr("class k (0 to 4)"));
  EXPECT_EQ(times(body,
                  "<tr class=\"hot\" style=\"--heat:1.000\"><td class=\"number\">18.8</td><td class=\"number\">100 %"
                  "</td><td class=\"number\">2</td><td class=\"\">  y\\[i\\] = a - b;</td>"),
            2);
  EXPECT_EQ(times(body, "<tr class=\"note\">.{0,120}<td class=\"\">1 / 0 = inf</td>"), 2);
}

TEST(ReportHtml, ShowsHostileNamesAsTheText) {
  const std::string page = to_html(sample_report());
  EXPECT_THAT(page, Not(HasSubstr("<b>bold"))) << "the report cannot end the element it stands in";
  const std::string body = body_of(rendered(page).document);
  EXPECT_EQ(times(body, "<h2>ctc: &lt;/script&gt;&lt;b&gt;bold&lt;/b&gt;&amp;\"'&lt;!--</h2>"), 1);
  EXPECT_EQ(times(body, "<b[ >]"), 0);
}

TEST(ReportHtml, SaysThatItIsNotFinished) {
  Report report = sample_report();
  report.complete = false;
  report.runs[0].units_done = 3;
  report.runs[0].properties = {sample_property("loss", Verdict::pass, 0.1)};
  const std::string body = body_of(rendered(to_html(report)).document);
  EXPECT_THAT(body, HasSubstr("Not finished: 3 of 12 units"));
  EXPECT_THAT(body, HasSubstr("not finished; nothing failed so far"));
}

/// The check for errors is one that can fail.
TEST(ReportHtml, TellsOfWhatItCannotShow) {
  std::string page = to_html(sample_report());
  page.replace(page.find("\"properties\":"), 13, "\"propertied\":");
  const Rendered broken = rendered(page);
  EXPECT_THAT(broken.log, HasSubstr("CONSOLE"));
  EXPECT_THAT(broken.document, HasSubstr("This page cannot show its report"));
  EXPECT_THAT(broken.document, Not(HasSubstr("data-rendered=\"yes\"")));
}

TEST(ReportHtml, NeedsNothingElse) {
  const std::string page = to_html(sample_report());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_EQ(times(page, "(src|href)=|<link|https?:(?!//www.w3.org/2000/svg)"), 0);
  EXPECT_EQ(times(page, "@import|url\\(|fetch\\(|XMLHttpRequest"), 0);
}

TEST(ReportHtml, HoldsTheReport) {
  const Report report = sample_report();
  EXPECT_EQ(to_json(report_from_json(json_of_html(to_html(report), "run.html"), "run.html")), to_json(report));
  EXPECT_THAT([] { json_of_html("<!doctype html><p>other</p>", "run.html"); },
              testing::ThrowsMessage<std::invalid_argument>(HasSubstr("run.html: an HTML page, but not one")));
}

}  // namespace
}  // namespace assay::validation
