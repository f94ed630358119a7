// log_sum_exp_steps, cce_steps and jacobi_steps.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/validation/steps_json.h"
#include "validation/steps/steps.h"

namespace assay::validation {
namespace {

TEST(LogSumExpSteps, SurvivesWhereTheNaiveSumDoesNot) {
  const Json steps = ask(log_sum_exp_steps, {{"logits", {1000, 1000}}, {"number", "double"}});
  EXPECT_EQ(steps["naive"], "inf");
  EXPECT_NEAR(real(steps["lse"]), 1000 + std::log(2.0), 1e-12);
  EXPECT_EQ(ask(log_sum_exp_steps, {{"logits", {-1000, -1000}}})["naive"], "-inf");
}

TEST(LogSumExpSteps, ShowsWhatIsKeptAfterEachChunk) {
  const Json steps = ask(log_sum_exp_steps, {{"logits", {0, 3, 1, 2, 5}}, {"chunk", 2}, {"number", {{"digits", 20}}}});
  EXPECT_EQ(steps["max"], Json({"3", "3", "5"}));
  EXPECT_EQ(steps["sum"].size(), 3U);
  EXPECT_EQ(steps["log"][2], steps["lse"]);
  EXPECT_EQ(ask(log_sum_exp_steps, {{"logits", {"-inf", "-inf"}}})["lse"], "-inf");
}

TEST(LogSumExpSteps, ChunksAreSummedByThemselves) {
  Json request = {{"logits", Json(4096, 0)}, {"number", "half"}};
  EXPECT_EQ(ask(log_sum_exp_steps, request)["sum"].back(), "2048");  // 2048 + 1 is 2048 in half
  request["chunk"] = 64;
  EXPECT_EQ(ask(log_sum_exp_steps, request)["sum"].back(), "4096");
}

TEST(LogSumExpSteps, DecimalTextsKeepTheirDigits) {
  const Json steps =
      ask(log_sum_exp_steps, {{"logits", {"0.12345678901234567890123456789"}}, {"number", {{"digits", 29}}}});
  EXPECT_EQ(steps["lse"], "0.12345678901234567890123456789");
}

TEST(CceSteps, GradientOfTwoWords) {
  const Json steps =
      ask(cce_steps, {{"hidden", {{1}}}, {"weight", {{0}, {0}}}, {"targets", {1}}, {"number", "double"}});
  EXPECT_NEAR(real(steps["loss"][0]), std::log(2.0), 1e-15);
  EXPECT_EQ(steps["dweight"], Json({{"0.5"}, {"-0.5"}}));
  EXPECT_EQ(steps["dhidden"], Json({{"0"}}));
  EXPECT_EQ(steps["dbias"], Json());
}

TEST(CceSteps, FewerBitsMakeLargerErrors) {
  Json request = {{"hidden", {{0.3, -1.7, 0.9}}}, {"weight", {{1.1, 0.2, -0.6}, {0.4, 0.7, 2.3}}}, {"targets", {0}}};
  const auto loss = [&](const Json& number) {
    request["number"] = number;
    return real(ask(cce_steps, request)["loss"][0]);
  };
  const double truth = loss({{"digits", 30}});
  EXPECT_LT(std::abs(loss("double") - truth), 1e-14);
  EXPECT_LT(std::abs(loss("float") - truth), 1e-5);
  EXPECT_GT(std::abs(loss("float") - truth), 1e-14);
  EXPECT_GT(std::abs(loss("bfloat16") - truth), std::abs(loss("float") - truth));
}

TEST(JacobiSteps, ColumnsBecomeOrthogonal) {
  const Json steps = ask(jacobi_steps, {{"A", {{3, 1}, {1, 3}, {0, 1}}}, {"number", "double"}});
  const Json& sweeps = steps["sweeps"];
  EXPECT_EQ(sweeps[0]["AV"], Json::parse(R"([["3", "1"], ["1", "3"], ["0", "1"]])"));
  EXPECT_EQ(sweeps[0]["rotations"], 0);
  EXPECT_EQ(sweeps[1]["rotations"], 1);
  EXPECT_EQ(sweeps.back()["rotations"], 0);
  double dot = 0, square = 0;
  for (const Json& row : sweeps.back()["AV"]) {
    dot += real(row[0]) * real(row[1]);
    square += real(row[0]) * real(row[0]);
  }
  EXPECT_LE(std::abs(dot), 1e-14);
  EXPECT_NEAR(std::sqrt(square), real(steps["S"][0]), 1e-14);
}

}  // namespace
}  // namespace assay::validation
