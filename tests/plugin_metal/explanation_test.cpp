// Why a stranger's shader fails: the line that made the NaN, or that lost the digits, and in which arithmetic.
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <stdexcept>

#include "tests/matchers.h"
#include "tests/plugin_metal/shader_folder.h"
#include "tests/validation/named.h"
#include "validation/cce/operation.h"
#include "validation/core/explanation.h"
#include "validation/ctc/operation.h"
#include "validation/registry.h"
#include "validation/report/run_gate.h"

namespace assay::validation::transport::test {
namespace {

/// The failure of a property on a few generated cases, explained.
std::optional<FailureRecord> failure_of(const std::string& kernel, const std::string& property, bool explains = true) {
  const GateRun run{.options = {.cases = 8, .shrink_budget = 50, .given = {}},
                    .filter = "^" + property + "$",
                    .why = explains ? &why_of : nullptr};
  return run_gate(*subject_called<CceOperation>(kernel, 50), run).properties.at(0).failure;
}

/// The line of a text in cce.metal.
std::string place_of(const std::string& text) {
  std::ifstream source(ASSAY_TEST_SHADERS "/cce.metal");
  int number = 1;
  for (std::string line; std::getline(source, line); ++number)
    if (line.find(text) != std::string::npos) return "cce.metal:" + std::to_string(number);
  return "not there";
}

TEST(Why, NamesTheOperationThatMadeTheNan) {
  const ShaderFolder folder("cce");
  folder.edit_source("sum += exp(row[v] - largest);", "sum += exp(row[v] - largest + 100.0f);");
  const auto failure = failure_of(folder.binding(), "loss");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->why.place, place_of("sum += exp(row[v] - largest);")) << failure->why.text;
  EXPECT_THAT(failure->why.text, HasSubstr("makes an infinity"));
}

TEST(Why, NamesTheLineThatLostTheDigits) {
  const ShaderFolder folder("cce");
  folder.edit_source("loss[n] = lse - row[target];", "loss[n] = (lse + 1e5f) - (row[target] + 1e5f);");
  const auto failure = failure_of(folder.binding(), "loss");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->why.place, place_of("loss[n] = lse - row[target];")) << failure->why.text;
  EXPECT_THAT(failure->why.text, HasSubstr("bits lost"));
  const auto unexplained = failure_of(folder.binding(), "loss", false);
  ASSERT_TRUE(unexplained);
  EXPECT_THAT(unexplained->why.text, IsEmpty());
}

TEST(Why, SaysWhereNoLineIsWrong) {
  const ShaderFolder folder("cce");
  folder.edit_source("loss[n] = lse - row[target];", "loss[n] = 0;");
  const auto failure = failure_of(folder.binding(), "loss");
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->why.text, HasSubstr("no operation made a NaN, an infinity or an error"));
  EXPECT_THAT(failure->why.place, IsEmpty());
}

TEST(Arithmetics, ATanhOfALargeNumberFailsWhereTheFastOneIsUsed) {
  const ShaderFolder folder("cce");
  folder.edit_source("loss[n] = lse - row[target];", "loss[n] = lse - row[target] * tanh(50.0f + upstream[n] * 0);");
  EXPECT_FALSE(failure_of(folder.binding(), "loss"));
  EXPECT_FALSE(failure_of(folder.binding() + "@emulated-safe", "loss"));
  for (const std::string mode : {"relaxed", "fast"}) {
    const auto failure = failure_of(folder.binding() + "@emulated-" + mode, "loss");
    ASSERT_TRUE(failure) << mode;
    EXPECT_EQ(failure->why.place, place_of("loss[n] = lse - row[target];")) << failure->why.text;
    EXPECT_THAT(failure->why.text, HasSubstr("exp(100) makes an infinity"));
  }
  EXPECT_THROW(kernel_called<CceOperation>(folder.binding() + "@emulated-exact"), std::runtime_error);
}

/// The bits that the worst element of a run lost: "0.7 of 24 bits lost".
double lost_bits(const std::string& text) {
  const std::size_t end = text.find(" of "), begin = text.rfind(' ', end - 1);
  return end == std::string::npos ? 99 : std::stod(text.substr(begin, end - begin));
}

TEST(ProductionKernel, OfCtcLosesNoDigitsInAnyBuffer) {
  Explanation explanation;
  const auto kernel = kernel_called<CtcOperation>("metal-emulated");
  EXPECT_EQ(report_on<CtcOperation>(*kernel, "loss", 20).verdict, Verdict::pass);
  EXPECT_THAT(explanation.why().text, HasSubstr("bits lost")) << "nothing was followed";
  EXPECT_LE(lost_bits(explanation.why().text), 3) << explanation.why().text;
}

}  // namespace
}  // namespace assay::validation::transport::test
