// JSON reports: what is written is read again, numbers that are none among it, and nothing else is taken for one.
#include "validation/report/json.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "tests/matchers.h"
#include "tests/replaced.h"
#include "tests/validation/sample_report.h"
#include "validation/report/report_file.h"

namespace assay::validation {
namespace {

Report again(const Report& report) {
  return report_from_json(to_json(report), "run.json");
}

/// As the sample, but with one text in the JSON replaced.
std::string spoiled(const std::string& from, const std::string& to) {
  return replaced(to_json(sample_report()), from, to);
}

TEST(ReportJson, IsReadAsItWasWritten) {
  const Report report = sample_report();
  const Report read = again(report);
  EXPECT_EQ(to_json(read), to_json(report));
  EXPECT_TRUE(read.complete);
  EXPECT_EQ(read.version, program_version());
  ASSERT_EQ(read.runs.size(), 1U);
  const GateRecord& run = read.runs[0];
  EXPECT_EQ(run.question, report.runs[0].question) << "the largest seed among it";
  EXPECT_EQ(run.coverage, report.runs[0].coverage);
  ASSERT_EQ(run.properties.size(), 5U);
  for (std::size_t i = 0; i < run.properties.size(); ++i) {
    EXPECT_EQ(run.properties[i].property, report.runs[0].properties[i].property);
    EXPECT_EQ(run.properties[i].verdict, report.runs[0].properties[i].verdict);
    EXPECT_EQ(run.properties[i].cases, 240);
    EXPECT_EQ(run.properties[i].is_far, i == 2);
    EXPECT_EQ(run.properties[i].skipped, report.runs[0].properties[i].skipped);
    EXPECT_EQ(run.properties[i].skip_causes, report.runs[0].properties[i].skip_causes);
    EXPECT_EQ(run.properties[i].evidence, report.runs[0].properties[i].evidence);
    EXPECT_EQ(run.properties[i].hidden, report.runs[0].properties[i].hidden);
    EXPECT_EQ(run.properties[i].why_mistrusted(), report.runs[0].properties[i].why_mistrusted());
    EXPECT_EQ(run.properties[i].histogram, report.runs[0].properties[i].histogram);
    EXPECT_EQ(run.properties[i].judged.elements, 1000);
    EXPECT_EQ(run.properties[i].judged.judged, 900);
    EXPECT_EQ(run.properties[i].judged.bound, 0.25);
    EXPECT_EQ(run.properties[i].measured, 200);
    EXPECT_EQ(run.properties[i].thin, 12);
  }
  EXPECT_EQ(run.properties[3].mistrust, report.runs[0].properties[3].mistrust);
}

TEST(ReportJson, JudgesNoMoreElementsThanThereAre) {
  for (const auto& [from, to, says] :
       {std::tuple{"\"judged\": 900", "\"judged\": 1001", "judged: expected a whole number from 0 to 1000"},
        std::tuple{"\"thin\": 12", "\"thin\": 201", "thin: expected a whole number from 0 to 200"}})
    EXPECT_THAT([&] { report_from_json(spoiled(from, to), "run.json"); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(says)));
}

TEST(ReportJson, KeepsTheSizesThatAreJudged) {
  Report report = sample_report();
  const std::map<std::string, JudgedSizes> sizes = {{"T", {{{4, 3}, {9, 20}}, {{7, 2}, {12, 1}, {33, 4}}, {{40, 1}}}}};
  report.runs[0].properties[0].judged_sizes = sizes;
  report.runs[0].properties[0].together.take({{"B", 2}, {"T", 300}});
  report.runs[0].narrow = {{"C", 9}};
  report.runs[0].properties[0].settle();
  const GateRecord run = again(report).runs[0];
  EXPECT_EQ(run.narrow, report.runs[0].narrow);
  const PropertyRecord& read = run.properties[0];
  EXPECT_EQ(read.together.all(), report.runs[0].properties[0].together.all());
  EXPECT_EQ(read.judged_sizes, sizes);
  EXPECT_EQ(read.verdict, Verdict::mistrusted);
  EXPECT_EQ(read.mistrust, "") << "it follows from the sizes, which a merge may change";
}

TEST(ReportJson, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(to_json(report_from_json("\xef\xbb\xbf" + to_json(sample_report()), "run.json")), to_json(sample_report()));
}

TEST(ReportJson, IsRefusedWhereItIsNestedDeeply) {
  for (const std::string& nested : {std::string(300'000, '['), std::string(300'000, '[') + std::string(300'000, ']')})
    EXPECT_THAT([&] { report_from_json(nested, "run.json"); },
                ThrowsMessage<std::invalid_argument>(StartsWith("run.json: expected JSON of at most 100 levels")));
}

TEST(ReportJson, KeepsNumbersThatAreNone) {
  Report report = sample_report();
  report.runs[0].properties[0].worst.share = -HUGE_VAL;
  const Report read = again(report);
  const auto& properties = read.runs[0].properties;
  EXPECT_EQ(properties[0].worst.share, -HUGE_VAL);
  EXPECT_TRUE(std::isnan(properties[1].worst.share));
  ASSERT_TRUE(properties[1].failure.has_value());
  const auto& values = properties[1].failure->pictures[1].values;
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], HUGE_VAL);
  EXPECT_EQ(values[2], report.runs[0].properties[1].failure->pictures[1].values[2]);
  EXPECT_GT(properties[1].histogram.nan, 0);
}

TEST(ReportJson, KeepsTheErrorsAsFirstMetAndAsShrunk) {
  const auto failure = again(sample_report()).runs[0].properties[1].failure.value();
  EXPECT_EQ(failure.margin.share, 1.25);
  EXPECT_EQ(failure.margin.error, 0.5);
  EXPECT_EQ(failure.first_margin.share, HUGE_VAL);
  EXPECT_EQ(failure.first_margin.error, 7.5);
  EXPECT_EQ(failure.first_margin.place, "loss[3]");
  EXPECT_THAT(to_json(sample_report()), HasSubstr("as first met  error 7.5, at loss[3]"));
}

TEST(ReportJson, SaysWhatUsuallyCausesAFailure) {
  const auto json = nlohmann::ordered_json::parse(to_json(sample_report()));
  const auto& properties = json["runs"][0]["properties"];
  EXPECT_EQ(properties[1]["failure"]["usual_cause"], "0 / 0, or -inf - (-inf), where an output has underflowed");
  EXPECT_EQ(report_from_json(to_json(sample_report()), "").runs[0].properties[1].failure->usual_cause,
            "0 / 0, or -inf - (-inf), where an output has underflowed");
}

/// Reports that were written before failures had them.
TEST(ReportJson, IsReadWithoutThem) {
  auto json = nlohmann::ordered_json::parse(to_json(sample_report()));
  auto& property = json["runs"][0]["properties"][1];
  property["worst"].erase("error");
  for (const char* const key : {"margin", "first_margin", "errors"}) property["failure"].erase(key);
  const auto failure = report_from_json(json.dump(), "old.json").runs[0].properties[1].failure.value();
  EXPECT_EQ(failure.first_margin.share, 0);
  EXPECT_EQ(failure.origin, "generated, shrunk in 12 steps");
}

/// No case alone leads to such a failure, so there are no words to replay.
TEST(ReportJson, HoldsTheCommandOfAFailureThatDependsOnHistory) {
  Report report = sample_report();
  const std::string line = "./assay gate ctc --kernel ./mine.so --cases 200 --seed 1 --filter '^loss$'";
  report.runs[0].properties[1].failure->reproducer = line;
  const auto folder = std::filesystem::temp_directory_path();
  const auto json = folder / "history.json", xml = folder / "history.xml";
  write_report(report, {json.string(), xml.string(), ""});
  for (const auto& file : {json, xml}) {
    const auto failures = reported_failures(file);
    ASSERT_EQ(failures.size(), 2U);
    EXPECT_EQ(failures[0].words, "");
    EXPECT_EQ(failures[0].line, line);
    EXPECT_THAT(failures[1].words, HasSubstr("operation=ctc property=refusals "));
    std::filesystem::remove(file);
  }
}

TEST(ReportJson, ReplacesBytesThatAreNoText) {
  Report report = sample_report();
  report.runs[0].properties[1].failure->explanation = "\xff\xfe";
  EXPECT_THAT(to_json(report), HasSubstr(R"("explanation": "??")")) << "and throws no exception";
}

/// Each with the field that is wrong.
TEST(ReportJson, NamesTheFieldThatItRefuses) {
  using Spoiling = std::tuple<const char*, const char*, const char*>;
  for (const auto& [from, to, message] :
       {Spoiling{R"("format": "assay gate report")", R"("format": "other")", "format: expected 'assay gate report'"},
        Spoiling{R"("format_version": 1)", R"("format_version": 2)", "format_version: expected 1"},
        Spoiling{R"("verdict": "pass")", R"("verdict": "good")", "runs[0].properties[0].verdict: expected pass, "},
        Spoiling{R"("cases": 400)", R"("cases": "many")", "runs[0].cases: expected a whole number from 0 to"},
        Spoiling{R"("cases": 400)", R"("cases": -1)", "got -1"},
        Spoiling{R"("seed": )", R"("sead": )", "runs[0].seed: missing"},
        Spoiling{R"("share": 0.25)", R"("share": "big")", "runs[0].properties[0].worst.share: expected a number"},
        Spoiling{R"("index": 0)", R"("index": 1)", "runs[0].shard.index: expected a whole number from 0 to 0"},
        Spoiling{R"("units_done": 12)", R"("units_done": 13)", "runs[0].units_done: expected"},
        Spoiling{R"("columns": 12)", R"("columns": 13)", "pictures[0].values: expected rows times columns numbers"},
        Spoiling{R"("failure": null)", R"("failure": null, "failure": null)", "runs.properties.failure: expected each"},
        Spoiling{R"("failure": null)", R"("failure": 3)", "runs[0].properties[0].failure"},
        Spoiling{R"("nan": 0)", R"("nan": 0.5)", "histogram.nan: expected a whole number"}}) {
    const std::string text = spoiled(from, to);
    const auto names_it = testing::AllOf(HasSubstr("run.json: "), HasSubstr(message));
    EXPECT_THAT([&] { report_from_json(text, "run.json"); }, ThrowsMessage<std::invalid_argument>(names_it));
  }
}

TEST(ReportJson, RefusesWhatIsCutShortOrOfAnother) {
  const std::string text = to_json(sample_report());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, text.size() / 2, text.size() - 3}) {
    EXPECT_THAT([&] { report_from_json(text.substr(0, size), "run.json"); },
                ThrowsMessage<std::invalid_argument>(
                    AllOf(StartsWith("run.json: parse error"), HasSubstr("was the report cut short?"))));
  }
  EXPECT_THAT([] { report_from_json("{}", "run.json"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("run.json: format: missing")));
  EXPECT_THAT([] { report_from_json("[1, 2]", "run.json"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("expected an object")));
}

TEST(MarginHistogram, CountsByPowersOfTwoClosedAbove) {
  MarginHistogram histogram;
  for (const double share : {0.0, std::ldexp(1.0, -20)}) histogram.count(share);
  EXPECT_EQ(histogram.bins[0], 2);
  histogram.count(std::ldexp(1.5, -20));
  EXPECT_EQ(histogram.bins[1], 1);
  histogram.count(0.5);
  EXPECT_EQ(histogram.bins[19], 1);
  histogram.count(0.75);
  histogram.count(1.0);
  EXPECT_EQ(histogram.bins[20], 2) << "a share of 1 is within the bound";
  histogram.count(std::nextafter(1.0, 2.0));
  histogram.count(HUGE_VAL);
  EXPECT_EQ(histogram.bins[21], 2);
  histogram.count(std::nan(""));
  EXPECT_EQ(histogram.nan, 1);
}

TEST(Picture, PoolsByTheLargestAndLetsNoNanVanish) {
  const Picture picture = picture_of("large", "i", "j", 1000, 3, [](std::int64_t i, std::int64_t j) {
    return i == 501 && j == 1 ? std::nan("") : double(i);
  });
  EXPECT_EQ(picture.pooled_columns, 1);
  EXPECT_EQ(picture.pooled_rows, 11);
  EXPECT_EQ(picture.rows, 91);
  EXPECT_EQ(picture.values.front(), 10);
  EXPECT_EQ(picture.values.back(), 999);
  EXPECT_TRUE(std::isnan(picture.values[static_cast<std::size_t>(501 / 11 * 3 + 1)]));
}

TEST(ShareOfBound, IsOneAtTheBoundAndNeverHidesAnError) {
  EXPECT_EQ(share_of_bound(3, 3), 1);
  EXPECT_EQ(share_of_bound(0, 0), 0);
  EXPECT_EQ(share_of_bound(1e-300, 0), HUGE_VAL);
  EXPECT_TRUE(std::isnan(share_of_bound(std::nan(""), 0)));
  EXPECT_TRUE(std::isnan(share_of_bound(std::nan(""), 1)));
}

/// As /dev/null is, which to replace would be a pity.
TEST(ReportFile, WritesToAPipeAndLeavesItOne) {
  const auto path = std::filesystem::temp_directory_path() / ("assay-pipe-" + std::to_string(getpid()));
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int pipe = open(path.c_str(), O_RDWR | O_NONBLOCK);
  write_atomically(path, "text");
  std::string read_back(8, '?');
  EXPECT_EQ(read(pipe, read_back.data(), read_back.size()), 4);
  EXPECT_EQ(read_back, "text????");
  EXPECT_TRUE(is_fifo(path));
  close(pipe);
  remove(path);
}

TEST(Checkpoint, LetsARunEndThatCannotBeWrittenAnyMore) {
  const auto path = std::filesystem::temp_directory_path() / ("assay-checkpoint-" + std::to_string(getpid()));
  Checkpoint checkpoint(path.string(), std::chrono::seconds(0));
  checkpoint.write({});
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_TRUE(checkpoint.is_due());
  EXPECT_NO_THROW(checkpoint.write({}));
  EXPECT_ANY_THROW(Checkpoint(path.string()).write({}));
  EXPECT_ANY_THROW(write_report({}, {.json = path.string(), .junit = "", .html = ""}));
  std::filesystem::remove(path);
}

TEST(ReportFile, IsNoFolder) {
  const std::string folder = std::filesystem::temp_directory_path().string();
  const auto says =
      ThrowsMessage<std::runtime_error>(HasSubstr(folder + ": it is a folder: expected the name of a file"));
  EXPECT_THAT([&] { require_folders({.json = folder, .junit = "", .html = ""}); }, says);
  EXPECT_THAT([&] { require_folders({.json = "", .junit = "", .html = folder}); }, says);
  EXPECT_THAT([&] { write_atomically(folder, "text"); }, says) << "it may become one during the run";
}

}  // namespace
}  // namespace assay::validation
