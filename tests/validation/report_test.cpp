// A run in words: lines that fit a terminal, and a line for each failure that gives the same verdict again.
#include "validation/core/report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/validation/ctc/kernels.h"
#include "validation/core/npz.h"
#include "validation/core/text.h"
#include "validation/ctc/operation.h"
#include "validation/registry.h"
#include "validation/report/failure_text.h"

namespace assay::validation {
namespace {

constexpr std::size_t terminal_width = 100;

PropertyReport report_of(const CtcProperty& property) {
  PropertyReport report;
  report.property = property.name;
  report.claim = property.claim;
  report.cases = 123'456;
  return report;
}

TEST(Report, FitsItsRowsInto100ColumnsWhateverTheyHold) {
  EXPECT_LE(table_heading().size(), terminal_width);
  for (const auto& property : CtcOperation::properties()) {
    for (const auto verdict : {Verdict::pass, Verdict::skipped, Verdict::mistrusted, Verdict::error, Verdict::fail}) {
      for (const double share : {0.0, 0.999, 98.76, 1e300, std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()}) {
        PropertyReport report = report_of(property);
        report.verdict = verdict;
        report.worst.share = share;
        const std::string row = table_row(report, false);
        EXPECT_LE(row.size(), terminal_width) << row;
        EXPECT_THAT(row, HasSubstr(property.name + " "));
        EXPECT_THAT(row, HasSubstr(property.claim));
      }
    }
  }
}

TEST(Report, KeepsItsColumnsUnderTheirHeadings) {
  PropertyReport report = report_of(CtcOperation::properties().front());
  report.cases = 200;
  report.skipped = {{"no frames", 30}, {"no labels", 5}};
  report.worst.share = 0.254;
  const std::string row = table_row(report, false);
  const std::string heading = table_heading();
  EXPECT_EQ(row.find("pass"), heading.find("verdict"));
  EXPECT_EQ(row.find("165") + 3, heading.find("cases") + 5) << "skipped cases do not count";
  EXPECT_EQ(row.find("25.4 %") + 6, heading.find("of bound") + 8);
  EXPECT_EQ(row.find(report.claim), heading.find("claim"));
}

TEST(Report, ColoursTheVerdictAndNothingElse) {
  const PropertyReport report = report_of(CtcOperation::properties().front());
  EXPECT_THAT(table_row(report, false), Not(HasSubstr("\033")));
  EXPECT_THAT(table_row(report, true), HasSubstr("\033"));
}

TEST(Report, ShowsSharesThatAreNoNumbers) {
  PropertyReport report = report_of(CtcOperation::properties().front());
  report.worst.share = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(table_row(report, false), HasSubstr(" nan "));
  report.worst.share = std::numeric_limits<double>::infinity();
  EXPECT_THAT(table_row(report, false), HasSubstr(" inf "));
  report.worst.share = 0;
  EXPECT_THAT(table_row(report, false), HasSubstr(" - "));
  report.worst.share = 99.9;
  EXPECT_THAT(table_row(report, false), HasSubstr(" 9990.0 % "));
  report.worst.share = 81'234;
  EXPECT_THAT(table_row(report, false), HasSubstr("  81234 x "));
  report.worst.share = 1e300;
  EXPECT_THAT(table_row(report, false), HasSubstr(" > 10^6 x "));
}

std::string line_of(const std::string& property, const std::string& kernel, const AnyCase& c) {
  const auto subject = subject_called<CtcOperation>(kernel, 50);
  return reproducer(*subject, subject->index_of(property), Sequence{c});
}

std::string failure_text(const PropertyReport& report, bool colour, const std::string& usual_cause = "") {
  const Failure& failure = *report.failure;
  PropertyRecord record{static_cast<const PropertySummary&>(report), std::nullopt};
  record.failure =
      FailureRecord{0,          failure.origin, failure.explanation,  line_of(report.property, "cpu", failure.problem),
                    {},         failure.margin, failure.first_margin, {},
                    usual_cause};
  return validation::failure_text(record, colour);
}

TEST(Report, SaysWhatFailedOnWhatAndHowToReproduceIt) {
  PropertyReport report = report_of(CtcOperation::properties().front());
  report.verdict = Verdict::error;
  report.failure = Failure{three_of_four_paths(), "generated, shrunk in 12 steps", "  it did not hold"};
  const std::string text = failure_text(report, false);
  EXPECT_THAT(text, StartsWith("\nerror outside (generated, shrunk in 12 steps): writes nothing but its outputs\n"
                               "  it did not hold\n"));
  EXPECT_THAT(text, HasSubstr("\n    ./assay replay 'operation=ctc property=outside kernel=cpu T=2 B=1 C=2 "));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(text, Not(HasSubstr("usual cause")));
  EXPECT_THAT(failure_text(report, false, "a race"), EndsWith("'\n  usual cause\n    a race\n"));
  EXPECT_THAT(failure_text(report, true), HasSubstr("\033"));
}

/// A gross error must not look like one at the margin because its case was shrunk.
TEST(Report, ShowsTheErrorAsFirstMetBesideTheShrunkOne) {
  PropertyReport report = report_of(CtcOperation::properties().front());
  report.failure = Failure{
      three_of_four_paths(), "generated", "  wrong", {1.03, "loss[0]", 0.004}, {5.1e5, "gradient[t=3, b=0, k=2]", 7.2}};
  EXPECT_THAT(failure_text(report, false),
              HasSubstr("\n  as first met  error 7.2, 5.1e+05 of the bound, at gradient[t=3, b=0, k=2]\n"
                        "  as shrunk     error 0.004, 1.03 of the bound, at loss[0]\n  wrong\n"));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(errors_text({nan, "loss[0]", nan}, {}), "  as first met  error nan, at loss[0]\n");
  EXPECT_EQ(errors_text({2, "loss[0]", 1}, {2, "loss[0]", 1}), "") << "nothing was shrunk";
  EXPECT_EQ(errors_text({}, {2, "loss[0]", 1}), "") << "no number was wrong";
}

TEST(Report, WrapsCoverageAndNamesWhatWasNeverMet) {
  Coverage coverage(class_names<CtcOperation>());
  CtcCase c = three_of_four_paths();
  for (int i = 0; i < 98'765; ++i) coverage.count(classes_of<CtcOperation>(c));
  c.zero_infinity = true;
  coverage.count(classes_of<CtcOperation>(c));
  std::istringstream lines(coverage_text(coverage));
  std::string all;
  for (std::string line; std::getline(lines, line); all += line + "\n") EXPECT_LE(line.size(), terminal_width) << line;
  EXPECT_THAT(all, StartsWith("  generated cases with\n    zero_infinity 1\n  never met\n"));
  for (const auto& [name, count] : coverage.counts()) EXPECT_THAT(all, HasSubstr(name));
}

TEST(Report, NamesNothingAsNeverMetWhereAllWas) {
  Coverage coverage(class_names<CtcOperation>());
  Random random(1);
  for (int i = 0; i < 2000; ++i) coverage.count(classes_of<CtcOperation>(CtcOperation::generate(random, i % 101, {})));
  EXPECT_THAT(coverage_text(coverage), Not(HasSubstr("never met")));
}

/// Works in a folder of its own, where files may be left.
class Reproducer : public testing::Test {
 protected:
  Reproducer() : former_(std::filesystem::current_path()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-report-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::filesystem::current_path(folder_);
  }
  ~Reproducer() override {
    std::filesystem::current_path(former_);
    std::filesystem::remove_all(folder_);
  }

  /// The words between the quotes of "./assay replay '...'".
  static std::map<std::string, std::string> words_of(const std::string& line) {
    EXPECT_THAT(line, StartsWith("./assay replay '"));
    const auto begin = line.find('\'') + 1;
    EXPECT_EQ(line.find('\'', begin), line.size() - 1) << "a shell reads to the first quote";
    return parse_words(line.substr(begin, line.size() - 1 - begin));
  }

  std::filesystem::path former_;
  std::filesystem::path folder_;
};

TEST_F(Reproducer, GivesTheSameVerdictAgainAndAnotherKernelsOwn) {
  for (const auto& [fault, property] :
       std::vector<std::pair<std::string, std::string>>{{"skip-over-repeat", "loss"},
                                                        {"beta-ends-in-blank", "gradient"},
                                                        {"writes-past-gradient", "outside"},
                                                        {"blank-is-zero", "permutation"},
                                                        {"mean-of-labels-only", "reductions"},
                                                        {"label-clamped", "refusals"}}) {
    Coverage coverage(class_names<CtcOperation>());
    const auto kernel = kernel_called<CtcOperation>("fault:" + fault);
    const auto report = run_property(property_named(property), {*kernel}, {.cases = 200, .given = {}}, coverage);
    ASSERT_TRUE(report.failure.has_value()) << fault;
    auto words = words_of(line_of(property, "fault:" + fault, report.failure->problem));
    EXPECT_EQ(words.extract("operation").mapped(), "ctc");
    EXPECT_EQ(words.extract("property").mapped(), property);
    const auto named = kernel_called<CtcOperation>(words.extract("kernel").mapped());
    const CtcCase again = CtcOperation::from_words(words);
    EXPECT_EQ(again, report.failure->problem.as<CtcCase>());
    const Finding finding = judge(property_named(property), {*named}, again);
    EXPECT_EQ(finding.verdict, report.verdict) << fault;
    EXPECT_EQ(finding.explanation, report.failure->explanation) << fault;
    EXPECT_EQ(judge(property_named(property), {*plain_ctc_kernel()}, again).verdict, Verdict::pass) << fault;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "small cases need no file";
}

TEST_F(Reproducer, PutsALargeCaseIntoAFile) {
  CtcCase large = CtcOperation::sized_case(40, 12, 10, 3, 5);
  large.upstream = {-0.0F};
  auto words = words_of(line_of("gradient", "cpu", large));
  EXPECT_EQ(words.at("property"), "gradient");
  EXPECT_EQ(words.at("kernel"), "cpu");
  EXPECT_EQ(words.count("T"), 0U);
  const std::filesystem::path file = words.at("file");
  EXPECT_TRUE(file.is_relative());
  EXPECT_EQ(file.parent_path(), "assay-failures");
  EXPECT_EQ(CtcOperation::read(file), large);
}

TEST_F(Reproducer, PutsDifferentCasesIntoDifferentFiles) {
  const auto first = words_of(line_of("gradient", "cpu", CtcOperation::sized_case(40, 12, 10, 3, 5)));
  const auto second = words_of(line_of("gradient", "cpu", CtcOperation::sized_case(40, 12, 10, 3, 6)));
  const auto other = words_of(line_of("loss", "cpu", CtcOperation::sized_case(40, 12, 10, 3, 5)));
  EXPECT_NE(first.at("file"), second.at("file"));
  EXPECT_NE(first.at("file"), other.at("file"));
  EXPECT_EQ(words_of(line_of("gradient", "cpu", CtcOperation::sized_case(40, 12, 10, 3, 5))), first);
}

}  // namespace
}  // namespace assay::validation
