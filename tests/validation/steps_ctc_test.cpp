// ctc_steps, alignment_steps and ctc_bounds: texts of every number format, and that they are what the references say.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/ctc/batch.h"
#include "tests/validation/steps_json.h"
#include "validation/steps/steps.h"

namespace assay::validation {
namespace {

const Json speech = {
    {"labels", {1, 2, 2}},
    {"logits", {{0.5, -1, 2}, {1.5, 3, -0.25}, {0, 0, 0}, {-2, 1, 1}, {4, -4, 0.5}, {0.25, 1, -3}, {1, 2, 3}}}};

Json with(Json request, const Json& more) {
  request.update(more);
  return request;
}

TEST(CtcSteps, FractionsAreWrittenAsFractions) {
  const Json steps =
      ask(ctc_steps, {{"labels", {1}}, {"outputs", {{"1/2", "1/2"}, {0.25, "3/4"}}}, {"number", "exact"}});
  EXPECT_EQ(steps["states"], Json({0, 1, 0}));
  EXPECT_EQ(steps["p"], "7/8");
  EXPECT_EQ(steps["loss"], Json());
  EXPECT_EQ(steps["alpha"], Json({{"1/2", "1/2", "0"}, {"0", "3/4", "1/8"}}));
  EXPECT_EQ(steps["posterior"][0], Json({"3/7", "4/7"}));
  EXPECT_EQ(steps["gradient"], steps["gradient_two_step"]);
}

TEST(CtcSteps, EveryFormatAndSpaceIsNearTheTruth) {
  const double truth = real(ask(ctc_steps, with(speech, {{"number", {{"digits", 40}}}}))["loss"]);
  ASSERT_GT(truth, 1);
  const std::vector<std::pair<Json, double>> formats = {
      {"half", 0.02}, {"bfloat16", 0.1}, {"float", 1e-5}, {"double", 1e-13}, {{{"digits", 30}}, 1e-15}};
  for (const auto& [number, error] : formats)
    for (const char* space : {"probability", "log", "scaled"}) {
      const Json steps = ask(ctc_steps, with(speech, {{"number", number}, {"space", space}}));
      EXPECT_LE(std::abs(real(steps["loss"]) - truth), error * truth) << number << ' ' << space;
      for (const Json& frame : steps["gradient"]) {
        double sum = 0;
        for (const Json& g : frame) sum += real(g);
        EXPECT_LE(std::abs(sum), 3 * error) << number << ' ' << space;
      }
    }
}

TEST(CtcSteps, DigitsAreThoseAskedForAndRight) {
  const std::string p = ask(ctc_steps, with(speech, {{"number", {{"digits", 30}}}}))["p"];
  const std::string more = ask(ctc_steps, with(speech, {{"number", {{"digits", 60}}}}))["p"];
  EXPECT_EQ(p.substr(0, 30), more.substr(0, 30));
  EXPECT_GE(more.size(), 60U);
}

TEST(CtcSteps, WhatUnderflowsInAFormatIsZeroThereAndNotElsewhere) {
  Json peaky = speech;
  for (Json& frame : peaky["logits"])
    for (Json& x : frame) x = x.get<double>() * 10;
  const Json half = ask(ctc_steps, with(peaky, {{"number", "half"}}));
  const Json truth = ask(ctc_steps, with(peaky, {{"number", {{"digits", 50}}}}));
  EXPECT_EQ(half["p"], "0");
  EXPECT_EQ(half["loss"], "inf");
  EXPECT_EQ(half["gradient"][0][0], "nan");
  EXPECT_GT(real(truth["p"]), 0);
}

TEST(CtcSteps, TheProductIsWhatTheInvariantsAddUp) {
  const Json steps =
      ask(ctc_steps, {{"labels", {1}}, {"outputs", {{"1/2", "1/2"}, {0.25, "3/4"}}}, {"number", "exact"}});
  EXPECT_EQ(steps["product"], Json({{"3/8", "1/2", "0"}, {"0", "3/4", "1/8"}}));
  EXPECT_EQ(steps["invariant_excluding"], Json({"7/8", "7/8"}));
  for (const char* space : {"probability", "log", "scaled"}) {
    const Json response = ask(ctc_steps, with(speech, {{"space", space}}));
    const bool log = std::string(space) == "log";
    for (std::size_t t = 0; t < response["product"].size(); ++t) {
      double sum = 0;
      for (const Json& x : response["product"][t]) sum += log ? std::exp(real(x)) : real(x);
      const double expected = real(response["invariant_including"][t]);
      EXPECT_NEAR(sum / (log ? std::exp(expected) : expected), 1, 1e-13) << space << ", frame " << t;
    }
  }
}

TEST(AlignmentSteps, AreSoughtAmongAsManySequencesAsAskedFor) {
  const Json request = {{"labels", {1, 2}}, {"T", 4}};  // 3^4 = 81 sequences
  EXPECT_EQ(ask(alignment_steps, with(request, {{"most_tries", 81}}))["alignments"].size(), 15U);
  const Json few = ask(alignment_steps, with(request, {{"most_tries", 80}}));
  EXPECT_TRUE(few["alignments"].is_null());
  EXPECT_EQ(few["count"], "15");
}

TEST(CtcSteps, ATransitionLeftOutChangesTheInvariantFromThereOn) {
  const Json request = {{"labels", {1, 1}},
                        {"outputs", Json(5, {"1/3", "1/3", "1/3"})},
                        {"number", "exact"},
                        {"without", {{"t", 2}, {"from", 1}, {"to", 2}}}};
  const Json steps = ask(ctc_steps, request);
  EXPECT_EQ(steps["invariant_excluding"], Json({"5/81", "5/81", "1/27", "1/27", "1/27"}));
  EXPECT_EQ(steps["p"], "1/27");
}

TEST(CtcSteps, OfNoFramesOnlyTheEmptySequenceHasAnAlignment) {
  EXPECT_EQ(ask(ctc_steps, {{"labels", Json::array()}, {"logits", Json::array()}})["p"], "1");
  EXPECT_EQ(ask(ctc_steps, {{"labels", {1}}, {"logits", Json::array()}})["p"], "0");
}

TEST(AlignmentSteps, ListsCountsAndSums) {
  const Json found =
      ask(alignment_steps,
          {{"labels", {1, 1}}, {"T", 4}, {"outputs", Json(4, {"1/3", "1/3", "1/3"})}, {"number", "exact"}});
  EXPECT_EQ(found["count"], "5");
  EXPECT_EQ(found["count_closed_form"], "5");
  EXPECT_EQ(found["alignments"].size(), 5U);
  EXPECT_EQ(found["p"], "5/81");
  EXPECT_EQ(found["probability"][0], "1/81");
  const Json steps =
      ask(ctc_steps, {{"labels", {1, 1}}, {"outputs", Json(4, {"1/3", "1/3", "1/3"})}, {"number", "exact"}});
  EXPECT_EQ(found["gradient_wrt_logits"], steps["gradient"]);
  EXPECT_EQ(found["gradient_wrt_outputs"], steps["output_error"]);
}

TEST(AlignmentSteps, ManyAreCountedAndNotListed) {
  const Json found = ask(alignment_steps, {{"labels", {1, 2, 3, 4, 5, 6, 7, 8}}, {"T", 100}});
  EXPECT_EQ(found["count"], "5089954010045192190");  // binomial(108, 16)
  EXPECT_EQ(found["count"], found["count_closed_form"]);
  EXPECT_EQ(found["alignments"], Json());
}

TEST(CtcBounds, ErrorsOfFloatAreWithinThem) {
  const Json bounds = ask(ctc_bounds, speech);
  const Json got = ask(ctc_steps, with(speech, {{"number", "float"}, {"space", "log"}}));
  const Json truth = ask(ctc_steps, with(speech, {{"number", {{"digits", 40}}}}));
  EXPECT_TRUE(std::abs(real(got["loss"]) - real(truth["loss"])) <= real(bounds["loss"]));
  EXPECT_LT(real(bounds["loss"]), 1e-3);
  for (std::size_t t = 0; t < 7; ++t)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_TRUE(std::abs(real(got["gradient"][t][k]) - real(truth["gradient"][t][k])) <=
                  real(bounds["gradient"][t][k]));
}

}  // namespace
}  // namespace assay::validation
