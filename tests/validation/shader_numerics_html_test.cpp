// The page of --numerics: what stands at each line, that sources are text in it, and the page of a right kernel.
#include "validation/shader/numerics_html.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/matchers.h"

namespace assay::validation {
namespace {

using metal::emulator::Check;
using metal::emulator::DispatchLosses;
using metal::emulator::Event;
using metal::emulator::Report;

class NumericsHtml : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-numerics-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    script_.source = folder_ / "one.metal";
    script_.passes.emplace_back();
    outcome_.losses = {DispatchLosses{"one", {}}};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The page of a source of two lines, the second of which is given.
  std::string page_of(const std::string& line) const {
    std::ofstream(script_.source) << "using namespace metal;\n" << line << "\n";
    return numerics_html(script_, outcome_);
  }
  Event event(const std::string& action, std::uint32_t line) const {
    return {action, {}, {script_.source.string(), line, 9}};
  }

  std::filesystem::path folder_;
  ShaderScript script_;
  ShaderOutcome outcome_;
};

TEST_F(NumericsHtml, ColoursTheLineThatLostTheDigitsAndGivesItsOperands) {
  auto& losses = outcome_.losses[0].losses;
  losses.large = 1;
  losses.worst = {{"buffer(1) `y` + 0", 0.25, 0.3, 21.4}};
  losses.lines = {{{script_.source.string(), 2, 0}, 0.75, 21.4, 1}, {{script_.source.string(), 1, 0}, 0.001, 0, 2}};
  outcome_.warnings = {{Check::numcheck, "one", "75 % of the error", "", event("4000000.25 - 4000000 = 0.25", 2), {}}};
  outcome_.warnings[0].is_warning = true;
  EXPECT_THAT(page_of("y[0] = (x[0] + 4e6f) - 4e6f;"),
              AllOf(HasSubstr("<p>1 element lost more than half of the digits</p>"),
                    HasSubstr("<li>buffer(1) `y` + 0 is 0.25, exactly 0.3: 21.4 of 24 bits lost</li>"),
                    HasSubstr("<tr class=\"hot\" style=\"--heat: 0.750\"><td>21.4</td><td>75 %</td>"
                              "<td class=\"number\">2</td><td>y[0] = (x[0] + 4e6f) - 4e6f;</td></tr>\n"
                              "<tr class=\"warning\"><td></td><td></td><td class=\"mark\">!</td>"
                              "<td>warning: 4000000.25 - 4000000 = 0.25; 75 % of the error</td></tr>"),
                    HasSubstr("<tr><td></td><td></td><td class=\"number\">1</td>")));
}

TEST_F(NumericsHtml, MarksTheOriginOfANaNAndWhereItBecameOne) {
  outcome_.reports = {{Check::numcheck, "one", "exp(100) makes an infinity", "buffer(1) `y` + 0 is NaN",
                       event("exp(100) = inf", 1), event("inf / inf = NaN", 2)}};
  outcome_.reports.push_back(outcome_.reports[0]);
  outcome_.reports[1].kernel = "another";
  outcome_.reports[1].event.action = "log(-1) = NaN";
  const std::string page = page_of("y[0] = e / e;");
  EXPECT_THAT(page, AllOf(HasSubstr("<tr class=\"error\"><td></td><td></td><td class=\"mark\">\u2717</td><td>error: "
                                    "exp(100) = inf; exp(100) makes an infinity (buffer(1) `y` + 0 is NaN)</td>"),
                          HasSubstr("<td>error: inf / inf = NaN, of the result of line 1</td>")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("class=\"hot\"")), Not(HasSubstr("log(-1)"))));
}

TEST_F(NumericsHtml, ShowsSourcesAsText) {
  outcome_.error = metal::Error{{}, "no <b>"};
  const std::string page = page_of("a < 1 && b > 0; // </td><script>alert(\"1\")</script>");
  EXPECT_THAT(page,
              AllOf(HasSubstr("<td>a &lt; 1 &amp;&amp; b &gt; 0; // &lt;/td&gt;&lt;script&gt;alert(&quot;1&quot;"),
                    HasSubstr("no &lt;b&gt;")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

TEST_F(NumericsHtml, ShowsASourceInWhichNothingWasFound) {
  const std::string page = page_of("y[0] = 2 * x[0];");
  EXPECT_THAT(page, AllOf(HasSubstr("<p>no elements lost more than half of the digits</p>"),
                          HasSubstr("<td class=\"number\">2</td><td>y[0] = 2 * x[0];</td>")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("class=\"hot\"")), Not(HasSubstr("class=\"warning\"")),
                          Not(HasSubstr("class=\"error\""))));
}

}  // namespace
}  // namespace assay::validation
