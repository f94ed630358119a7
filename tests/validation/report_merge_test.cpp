// A run in units: shards of it make the whole again, and one that was stopped goes on where it was.
#include "validation/report/merge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/refusal.h"
#include "tests/validation/counting_run.h"
#include "validation/report/json.h"
#include "validation/report/shard.h"

namespace assay::validation {
namespace {

std::vector<NamedReport> shards_of(int cases, std::int64_t total, const std::string& filter = "") {
  std::vector<NamedReport> shards;
  for (std::int64_t index = 0; index < total; ++index)
    shards.push_back(report_of(judged(run_of(cases, {index, total}, filter)), std::to_string(index) + ".json"));
  return shards;
}

TEST(RunGate, JudgesEachPropertyOnAllOfItsCases) {
  const GateRecord run = judged(run_of(1000, {}, "^holds$"));
  ASSERT_EQ(run.properties.size(), 1U);
  EXPECT_EQ(run.properties[0].verdict, Verdict::pass);
  EXPECT_EQ(run.properties[0].cases, 1003);
  EXPECT_EQ(run.coverage.cases(), 1000);
  EXPECT_EQ(run.units, 6);
  EXPECT_TRUE(run.is_complete());
  EXPECT_EQ(run.properties[0].histogram.bins[19], 1003) << "each case had half of its bound";
}

TEST(RunGate, JudgesOtherCasesInEachBlock) {
  const GateRecord run = judged(run_of(1000, {}, "^holds$"));
  EXPECT_GT(run.coverage.counts().at("even"), 400);
  EXPECT_LT(run.coverage.counts().at("even"), 600);
  EXPECT_GT(CountingOperation::seen().size(), 900U) << "the seeds of blocks differ";
}

TEST(RunGate, RecordsAFailureWithItsPicturesAndItsLine) {
  const GateRecord run = judged(run_of(400, {}, "fails"));
  ASSERT_EQ(run.properties.size(), 2U);
  for (const auto& property : run.properties) {
    ASSERT_TRUE(property.failure.has_value());
    EXPECT_EQ(property.verdict, Verdict::fail);
    EXPECT_THAT(property.failure->reproducer,
                HasSubstr("./assay replay 'operation=counting property=" + property.property + " kernel=counting "));
  }
  EXPECT_EQ(run.properties[0].failure->pictures.size(), 1U);
  EXPECT_EQ(failures_of(run), 2);
}

/// A kernel, or the reference, may fail once more while it is drawn.
TEST(RunGate, OutlivesAPictureThatFails) {
  const CountingKernel undrawable{.pictures_throw = true};
  const GateRecord run = judged(run_of(400, {}, "fails-seldom"), {}, std::nullopt, undrawable);
  ASSERT_TRUE(run.properties[0].failure.has_value());
  EXPECT_TRUE(run.properties[0].failure->pictures.empty());
}

/// Two properties that compare with the reference, and one that does not.
struct TwinOperation : CountingOperation {
  static std::vector<NamedCase<TwinOperation>> paired_cases(Reach, std::uint64_t) { return {}; }

  static const std::vector<Property<TwinOperation>>& properties() {
    const auto passes = [](const Context<TwinOperation>&, const Case&) { return Finding::pass(); };
    static const std::vector<Property<TwinOperation>> all = {
        {"one", "", {}, passes, true}, {"two", "", {}, passes, true}, {"three", "", {}, passes}};
    return all;
  }
};

TEST(RunGate, JudgesPropertiesThatNeedTheSameTruthsUnitByUnit) {
  GateRun run;
  run.options.cases = 2 * cases_of_unit;
  std::vector<std::string> order;
  double last = 0;
  GateWatch watch;
  watch.progress = [&](double done, const std::string& property) {
    EXPECT_GE(done, last) << property;
    last = done;
    if (order.empty() || order.back() != property) order.push_back(property);
  };
  watch.judged = [&](const PropertyRecord& property) { order.push_back(property.property + " judged"); };
  EXPECT_TRUE(judged<TwinOperation>(run, watch).is_complete());
  EXPECT_THAT(order, ElementsAre("one", "two", "one", "two", "one judged", "two judged", "three", "three judged"));
  EXPECT_LE(last, 3);
}

TEST(RunGate, RefusesAFilterThatMatchesNothing) {
  EXPECT_THAT([] { judged(run_of(10, {}, "nothing")); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("no property matches the filter 'nothing'")));
}

TEST(MergeOfShards, IsTheSingleRun) {
  const GateRecord whole = judged(run_of(1900, {}, "^(holds|skips|doubts|any)$"));
  for (const std::int64_t total : {2, 3, 7, 100}) {
    auto shards = shards_of(1900, total, "^(holds|skips|doubts|any)$");
    std::swap(shards.front(), shards.back());
    const Report merged = merge(shards);
    ASSERT_EQ(merged.runs.size(), 1U);
    EXPECT_TRUE(text_of(merged.runs[0]) == text_of(whole)) << total << " shards\n" << text_of(merged.runs[0]);
    EXPECT_EQ(exit_status(merged), 1) << "of doubts";
  }
}

/// Shards go on where a single run stops: what they found there is left out.
TEST(MergeOfShards, EndsAPropertyWhereASingleRunEndsIt) {
  const GateRecord whole = judged(run_of(1900));
  ASSERT_GT(failures_of(whole), 0);
  std::int64_t judged_by_shards = 0;
  const auto shards = shards_of(1900, 3);
  for (const auto& shard : shards)
    for (const auto& property : shard.report.runs[0].properties) judged_by_shards += property.cases;
  std::int64_t judged_by_one = 0;
  for (const auto& property : whole.properties) judged_by_one += property.cases;
  EXPECT_GT(judged_by_shards, judged_by_one);
  EXPECT_EQ(text_of(merge(shards).runs[0]), text_of(whole));
}

TEST(MergeOfShards, ReadsTheUnitsOfAFile) {
  auto shards = shards_of(1900, 2);
  for (auto& shard : shards) shard.report = report_from_json(to_json(shard.report), shard.name);
  EXPECT_EQ(text_of(merge(shards).runs[0]), text_of(judged(run_of(1900))));
  shards[1].report.runs[0].judged[3].result.property = "another";
  EXPECT_THAT([&] { merge(shards); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("is of property 'another', which is none of the run's")));
}

TEST(MergeOfShards, LooksForNoPropertyOfAUnitPastTheRuns) {
  for (const std::int64_t unit : {std::int64_t{-1}, std::int64_t{1} << 60}) {
    auto shards = shards_of(1900, 2);
    for (UnitRecord& one : shards[1].report.runs[0].judged) one.unit = unit;
    EXPECT_NO_THROW(merge(shards)) << unit;
  }
  auto shards = shards_of(1900, 2);
  for (auto& shard : shards) shard.report.runs[0].units = 0;
  EXPECT_NO_THROW(merge(shards));
}

TEST(MergeOfShards, RefusesWhatDoesNotBelongTogether) {
  const auto shards = shards_of(400, 3);
  const auto refusal = [](const std::vector<NamedReport>& reports) { return refusal_of([&] { merge(reports); }); };
  EXPECT_THAT(refusal({shards[0], shards[2]}), HasSubstr("missing: GTEST_SHARD_INDEX=1 of GTEST_TOTAL_SHARDS=3"));
  EXPECT_THAT(refusal({shards[0], shards[1], shards[1]}), HasSubstr("1.json: is shard 1 of 3, as 1.json is"));
  EXPECT_THAT(refusal({shards[0], shards_of(400, 2)[1]}), HasSubstr("1.json: is one of 2 shards"));
  EXPECT_THAT(refusal({shards[0], shards_of(401, 3)[1]}), HasSubstr("1.json: cases is '401', where '400'"));
  auto other = shards[1];
  other.report.runs[0].question.kernel = "another";
  EXPECT_THAT(refusal({shards[0], other}), HasSubstr("kernel is 'another'"));
  other = shards[1];
  other.report.version = "0.0.1";
  EXPECT_THAT(refusal({shards[0], other}), HasSubstr("written by assay 0.0.1"));
  other = shards[1];
  other.report.complete = false;
  EXPECT_THAT(refusal({shards[0], other}), HasSubstr("1.json: the run was not finished"));
  EXPECT_THAT(refusal({}), HasSubstr("no report"));
  EXPECT_EQ(refusal(shards), "accepted");
}

TEST(Resume, EndsAsARunThatWasNotStopped) {
  const GateRun run = run_of(1900);
  const std::string whole = text_of(judged(run));
  for (const int stop_after : {0, 1, 150, 700, 3000, 7000}) {
    std::int64_t asked = 0;
    GateWatch watch;
    watch.stop = [&] { return asked++ >= stop_after; };
    const GateRecord stopped = judged(run, watch);
    EXPECT_FALSE(stopped.is_complete());
    const Report file = report_from_json(to_json(report_of(stopped, "").report), "run.json");
    const GateRecord resumed = judged(run, {}, file.runs[0]);
    EXPECT_TRUE(resumed.is_complete());
    EXPECT_TRUE(text_of(resumed) == whole) << "stopped at question " << stop_after << "\n" << text_of(resumed);
  }
}

TEST(Resume, DoesNothingTwice) {
  const GateRun run = run_of(400, {}, "^holds$");
  const GateRecord whole = judged(run);
  CountingOperation::seen().clear();
  EXPECT_EQ(text_of(judged(run, {}, whole)), text_of(whole));
  EXPECT_TRUE(CountingOperation::seen().empty());
}

TEST(Resume, RefusesAnotherRun) {
  const GateRecord record = judged(run_of(400));
  const auto resume = [&](const GateRun& run) { judged(run, {}, record); };
  GateRun of_another_file = run_of(400);
  of_another_file.fingerprint = "e3b0";
  EXPECT_THAT([&] { resume(of_another_file); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("fingerprint of the kernel's file is ''")));
  EXPECT_THAT([&] { resume(run_of(401)); }, ThrowsMessage<std::invalid_argument>(HasSubstr("cases is '400'")));
  EXPECT_THAT([&] { resume(run_of(400, {}, "holds")); }, ThrowsMessage<std::invalid_argument>(HasSubstr("filter")));
  GateRun farther = run_of(400);
  farther.options.reach = Reach::full;
  EXPECT_THAT([&] { resume(farther); }, ThrowsMessage<std::invalid_argument>(HasSubstr("reach is '")));
  EXPECT_THAT([&] { resume(run_of(400, {0, 2})); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("GTEST_SHARD_INDEX")));
}

/// Sets the variables of sharding, and unsets them at its end.
class ShardVariables : public testing::Test {
 protected:
  ~ShardVariables() override {
    for (const char* const name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE"})
      unsetenv(name);
  }
  static void set(const char* total, const char* index) {
    total == nullptr ? unsetenv("GTEST_TOTAL_SHARDS") : setenv("GTEST_TOTAL_SHARDS", total, 1);
    index == nullptr ? unsetenv("GTEST_SHARD_INDEX") : setenv("GTEST_SHARD_INDEX", index, 1);
  }
  static std::string refusal(const char* total, const char* index) {
    set(total, index);
    return refusal_of([] { shard_from_environment(); });
  }
};

TEST_F(ShardVariables, SayWhichPartIsToBeDone) {
  set(nullptr, nullptr);
  EXPECT_EQ(shard_from_environment(), (Shard{0, 1}));
  set("5", "4");
  EXPECT_EQ(shard_from_environment(), (Shard{4, 5}));
  const auto status = std::filesystem::temp_directory_path() / ("assay-shard-status-" + std::to_string(getpid()));
  setenv("GTEST_SHARD_STATUS_FILE", status.c_str(), 1);
  shard_from_environment();
  EXPECT_TRUE(std::filesystem::remove(status)) << "what tells a runner that shards are honoured";
}

TEST_F(ShardVariables, AreRefusedWhereTheyMakeNoSense) {
  EXPECT_THAT(refusal("3", nullptr), HasSubstr("GTEST_TOTAL_SHARDS is set and GTEST_SHARD_INDEX is not"));
  EXPECT_THAT(refusal(nullptr, "1"), HasSubstr("GTEST_SHARD_INDEX is set and GTEST_TOTAL_SHARDS is not"));
  EXPECT_THAT(refusal("3", "3"), HasSubstr("GTEST_SHARD_INDEX is '3': expected a whole number from 0 to 2"));
  EXPECT_THAT(refusal("0", "0"), HasSubstr("GTEST_TOTAL_SHARDS is '0'"));
  EXPECT_THAT(refusal("3", "-1"), HasSubstr("GTEST_SHARD_INDEX is '-1'"));
  EXPECT_THAT(refusal("3x", "1"), HasSubstr("GTEST_TOTAL_SHARDS is '3x'"));
  EXPECT_THAT(refusal("", "1"), HasSubstr("GTEST_TOTAL_SHARDS is ''"));
}

}  // namespace
}  // namespace assay::validation
