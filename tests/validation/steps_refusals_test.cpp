// What steps refuse: each names the argument, its value and what was expected; nothing throws.
#include <gtest/gtest.h>

#include "tests/validation/steps_json.h"
#include "validation/steps/steps.h"

namespace assay::validation {
namespace {

void expect_refusal(Steps steps, const Json& request, const std::string& words) {
  EXPECT_NE(refusal(steps, request).find(words), std::string::npos)
      << request << "\n  was answered: " << refusal(steps, request) << "\n  expected:     " << words;
}

TEST(StepsRefusals, WhatIsNoRequest) {
  for (const char* text : {"", "{", "[]", "3", "{\"labels\": \xff}"})
    EXPECT_TRUE(Json::parse(ctc_steps(text)).contains("error")) << text;
}

TEST(StepsRefusals, AKeyThatIsThereTwice) {
  EXPECT_EQ(Json::parse(ctc_steps(R"({"labels": [1], "number": {"digits": 9, "digits": 8}})"))["error"],
            "request: number.digits: expected each key of an object once, got 'digits' twice");
}

TEST(StepsRefusals, Ctc) {
  const Json y = {{0.0, 1.0}, {0.5, 0.5}};
  expect_refusal(ctc_steps, {{"logits", y}}, "labels is missing");
  expect_refusal(ctc_steps, {{"labels", {1}}}, "logits, outputs: expected one of them");
  expect_refusal(ctc_steps, {{"labels", {1}}, {"logits", y}, {"outputs", y}}, "logits, outputs: expected one of them");
  expect_refusal(ctc_steps, {{"labels", {2}}, {"logits", y}}, "labels[0] = 2: expected a label in [0, C=2)");
  expect_refusal(ctc_steps, {{"labels", {-1}}, {"logits", y}}, "labels[0] = -1: expected a label");
  expect_refusal(ctc_steps, {{"labels", {1}}, {"blank", 1}, {"logits", y}}, "other than blank=1");
  expect_refusal(ctc_steps, {{"labels", {1}}, {"blank", 7}, {"logits", y}}, "blank = 7: expected a class in [0, C=2)");
  expect_refusal(ctc_steps, {{"labels", {1.5}}, {"logits", y}}, "labels[0] = 1.5: expected an integer");
  expect_refusal(ctc_steps, {{"labels", "a"}, {"logits", y}}, "labels = \"a\": expected an array");
  expect_refusal(ctc_steps, {{"labels", {1}}, {"logits", {{0, 1}, {0}}}}, "logits[1]: expected a row of 2 numbers");
  expect_refusal(ctc_steps, {{"labels", {1}}, {"logits", {{0, "x"}}}}, "logits[0][1] = \"x\": expected a number");
  expect_refusal(ctc_steps, {{"labels", {1}}, {"logits", {{0, "nan"}}}}, "expected a finite number or -inf");
  expect_refusal(ctc_steps, {{"labels", {1}}, {"outputs", {{0, -0.5}}}}, "outputs[0][1] = -0.5: expected a finite");
  expect_refusal(ctc_steps, {{"labels", {1}}, {"logits", y}, {"number", "quad"}}, "number = \"quad\": expected half");
  expect_refusal(ctc_steps, {{"labels", {1}}, {"logits", y}, {"number", {{"digits", 3}}}}, "digits = 3: expected");
  expect_refusal(ctc_steps, {{"labels", {1}}, {"logits", y}, {"space", "linear"}}, "space = linear: expected");
  expect_refusal(ctc_steps, {{"labels", {1}}, {"logits", y}, {"without", {{"t", 0}, {"from", 0}, {"to", 1}}}},
                 "without.t = 0: expected a frame in [1, T=2)");
  expect_refusal(ctc_steps, {{"labels", {1}}, {"logits", y}, {"without", {{"t", 1}, {"from", 2}, {"to", 1}}}},
                 "expected states from <= to");
}

TEST(StepsRefusals, Fractions) {
  const auto exact = [](const char* first, const char* second) {
    return Json{{"labels", {1, 1}}, {"outputs", Json::array({Json::array({first, second})})}, {"number", "exact"}};
  };
  expect_refusal(ctc_steps, {{"labels", {1}}, {"logits", {{0, 1}}}, {"number", "exact"}}, "expected outputs");
  expect_refusal(ctc_steps, exact("1/0", "1/2"), "outputs[0][0] = \"1/0\": expected a fraction");
  expect_refusal(ctc_steps, exact("-1/2", "1/2"), "outputs[0][0] = \"-1/2\": expected a fraction");
  expect_refusal(ctc_steps, exact("1/2/3", "1/2"), "expected a fraction");
  Json scaled = exact("1/2", "1/2");
  EXPECT_EQ(ask(ctc_steps, scaled)["gradient"], Json());
  scaled["space"] = "scaled";
  expect_refusal(ctc_steps, scaled, "labels: expected an alignment in T=1 frames");
}

TEST(StepsRefusals, TheOthers) {
  expect_refusal(alignment_steps, {{"labels", {1}}, {"T", -1}}, "T = -1: expected a number of frames");
  expect_refusal(alignment_steps, {{"labels", {1}}, {"T", 1000000000000}}, "expected a number of frames in [0, 2000]");
  expect_refusal(alignment_steps, {{"labels", {1}}, {"T", 3}, {"outputs", {{0.5, 0.5}}}}, "T = 3: expected as many");
  expect_refusal(log_sum_exp_steps, {{"logits", {1, 2}}, {"chunk", 0}}, "chunk = 0: expected at least 1");
  expect_refusal(log_sum_exp_steps, {{"logits", 3}}, "expected a row of");
  expect_refusal(cce_steps, {{"hidden", {{1, 2}}}, {"weight", {{1}}}, {"targets", {0}}}, "weight of 1 columns");
  expect_refusal(cce_steps, {{"hidden", {{1}}}, {"weight", {{1}}}, {"targets", {4}}}, "targets");
  expect_refusal(jacobi_steps, {{"A", {{1, 2}}}}, "A of 1 rows and 2 columns: expected at least as many rows");
  expect_refusal(jacobi_steps, {{"A", {{"inf"}}}}, "A[0][0] = \"inf\": expected a finite number");
  expect_refusal(jacobi_steps, {{"A", {{1}}}, {"number", "half"}}, "number = \"half\": expected float, double");
  expect_refusal(ctc_bounds, {{"labels", {1}}, {"logits", {{0.1, 1}}}}, "logits[0][0] = 0.1: expected a float32");
  expect_refusal(ctc_bounds, {{"labels", {1, 1}}, {"logits", {{0, 1}}}}, "expected some alignment");
}

}  // namespace
}  // namespace assay::validation
