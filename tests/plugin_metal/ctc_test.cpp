// A stranger's CTC passes; made hostile by one edit of its text, it gets the verdict and the words that it deserves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/plugin_metal/shader_folder.h"
#include "tests/validation/named.h"
#include "validation/ctc/fields.h"
#include "validation/ctc/operation.h"

namespace assay::validation::transport::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

CtcPropertyReport judge_ctc(const ShaderFolder& folder, const std::string& property, int shrink_budget = 0) {
  Coverage coverage(CtcOperation::classes());
  const CtcGateOptions options{.cases = 10, .shrink_budget = shrink_budget, .given = {}};
  const auto kernel = CtcOperation::kernel(folder.binding());
  return run_property(named(CtcOperation::properties(), property), {*kernel}, options, coverage);
}

std::string explanation(const CtcPropertyReport& report) {
  return report.failure ? report.failure->explanation : "no failure";
}

TEST(StrangersCtc, DeclaresWhatItsBindingSays) {
  const ShaderFolder folder("ctc");
  const CtcKernelInfo info = CtcOperation::kernel(folder.binding())->info();
  EXPECT_EQ(info.name, folder.binding());
  EXPECT_EQ(info.arithmetic, Arithmetic::log_space);
  EXPECT_EQ(info.unit_roundoff, 0x1p-24);
  EXPECT_FALSE(info.support.does("logits"));
  EXPECT_TRUE(info.support.does("log_probs"));
  EXPECT_EQ(info.support.limits.at("S"), 1000);
  EXPECT_FALSE(info.support.does("checks_arguments"));
}

TEST(StrangersCtc, PassesEveryProperty) {
  const ShaderFolder folder("ctc");
  const auto kernel = CtcOperation::kernel(folder.binding());
  int judged = 0;
  for (const auto& property : CtcOperation::properties()) {
    const auto report = report_on<CtcOperation>(*kernel, property.name, 6);
    EXPECT_FALSE(is_failure(report.verdict)) << property.name << explanation(report);
    judged += report.verdict == Verdict::pass ? 1 : 0;
  }
  EXPECT_GE(judged, 15) << "of " << CtcOperation::properties().size();
}

/// One row of one frame of two log-probabilities, and no labels.
CtcCase one_frame_of(float first, float second) {
  CtcCase c;
  c.T = c.B = 1;
  c.C = 2;
  c.activations = {first, second};
  c.input_lengths = {1};
  c.input = CtcInput::log_probs;
  set_targets(c, {{}});
  return c;
}

TEST(StrangersCtc, IsGivenNoFrameBeyondItsLimits) {
  const ShaderFolder folder("ctc");
  folder.edit_binding(R"("unit_roundoff")", R"("largest_activation": 30, "largest_spread": 2.5, "unit_roundoff")");
  const auto kernel = CtcOperation::kernel(folder.binding());
  EXPECT_EQ(kernel->info().largest_activation, 30);
  EXPECT_EQ(why_not(kernel->info(), one_frame_of(-0.5F, -3.0F)), "");
  EXPECT_EQ(why_not(kernel->info(), one_frame_of(-0.5F, -3.25F)),
            "the kernel does not do frames whose activations differ by more than 2.5");
  EXPECT_EQ(why_not(kernel->info(), one_frame_of(-29.0F, -31.0F)), "the kernel does not do activations beyond 30");
  EXPECT_EQ(why_not(kernel->info(), one_frame_of(-1.0F, -std::numeric_limits<float>::infinity())), "");
}

/// One row of one frame, whose label is `label`.
CtcCase one_frame(std::int64_t label) {
  CtcCase c = one_frame_of(-0.5F, -1.0F);
  set_targets(c, {{label}});
  return c;
}

TEST(StrangersCtc, ChecksItsArgumentsThroughTheHostWhereItsBindingSaysSo) {
  const ShaderFolder folder("ctc");
  EXPECT_FALSE(run_kernel(*CtcOperation::kernel(folder.binding()), one_frame(1)).refused);
  folder.edit_binding(R"("operation")", R"("host_validates": true, "operation")");
  const auto kernel = CtcOperation::kernel(folder.binding());
  EXPECT_TRUE(kernel->info().support.does("checks_arguments"));
  EXPECT_FALSE(run_kernel(*kernel, one_frame(1)).refused);
  const CtcRun refused = run_kernel(*kernel, one_frame(2));
  EXPECT_TRUE(refused.refused);
  EXPECT_THAT(refused.message, HasSubstr("targets[b=0, s=0] = 2"));
}

TEST(HostileCtc, OutOfBoundsIsReportedWithItsPlace) {
  const ShaderFolder folder("ctc");
  folder.edit_source("for (uint k = 0; k < shape.classes; ++k) g[k] = is_past",
                     "for (uint k = 0; k <= shape.classes; ++k) g[k] = is_past");
  const auto report = judge_ctc(folder, "gradient", 50);
  EXPECT_EQ(report.verdict, Verdict::error);
  EXPECT_THAT(explanation(report), AllOf(HasSubstr("memcheck: kernel ctc_gradient"), HasSubstr("`gradient`"),
                                         HasSubstr("by thread ("), ContainsRegex("ctc.metal:[0-9]+:[0-9]+")));
  ASSERT_TRUE(report.failure);
  EXPECT_LE(report.failure->problem.activations.size(), 16U) << "shrunk: " << report.failure->origin;
}

TEST(HostileCtc, AMissingBarrierIsARace) {
  const ShaderFolder folder("ctc");
  folder.edit_source("    threadgroup_barrier(mem_flags::mem_threadgroup);\n", "");
  const auto report = judge_ctc(folder, "loss");
  EXPECT_EQ(report.verdict, Verdict::error);
  EXPECT_THAT(explanation(report), AllOf(HasSubstr("racecheck: kernel ctc_alpha"), HasSubstr("`columns`"),
                                         HasSubstr("earlier "), ContainsRegex("ctc.metal:[0-9]+:[0-9]+")));
}

TEST(HostileCtc, UnsetThreadgroupMemoryIsReported) {
  const ShaderFolder folder("ctc");
  folder.edit_source("if (t > 0) {", "if (t + 1 > 0) {");
  const auto report = judge_ctc(folder, "loss");
  EXPECT_EQ(report.verdict, Verdict::error);
  EXPECT_THAT(explanation(report), AllOf(HasSubstr("initcheck: kernel ctc_alpha"), HasSubstr("`columns`")));
}

TEST(HostileCtc, AnEndlessLoopIsStopped) {
  const ShaderFolder folder("ctc");
  folder.edit_source("for (uint s = 0; s < states; ++s) {", "for (uint s = 0; s < states;) {");
  const auto report = judge_ctc(folder, "gradient");
  EXPECT_EQ(report.verdict, Verdict::error);
  EXPECT_THAT(explanation(report), AllOf(HasSubstr("synccheck: kernel ctc_gradient"), HasSubstr("an endless loop?"),
                                         ContainsRegex("ctc.metal:[0-9]+")));
}

TEST(HostileCtc, ALoopThatAccessesNothingIsStoppedToo) {
  const ShaderFolder folder("ctc");
  folder.edit_source("  float p = states == 1", "  for (uint x = 1; x != 0;) x = x * 3;\n  float p = states == 1");
  const auto report = judge_ctc(folder, "loss");
  EXPECT_EQ(report.verdict, Verdict::error);
  EXPECT_THAT(explanation(report),
              AllOf(HasSubstr("synccheck: kernel ctc_loss"), HasSubstr("an endless loop?"), HasSubstr("ctc.metal:8")));
}

TEST(HostileCtc, AStepLimitOfItsOwnIsKept) {
  const ShaderFolder folder("ctc");
  folder.edit_binding(R"("operation")", R"("step_limit": "B > 0 ? 32 * B : 1", "operation")");
  EXPECT_THAT(explanation(judge_ctc(folder, "gradient")), HasSubstr("an endless loop?"));
}

TEST(HostileCtc, AWrongSignFailsTheGradientAlone) {
  const ShaderFolder folder("ctc");
  folder.edit_source("exp(y[k]) - posterior :", "posterior - exp(y[k]) :");
  EXPECT_EQ(judge_ctc(folder, "gradient").verdict, Verdict::fail);
  EXPECT_EQ(judge_ctc(folder, "loss").verdict, Verdict::pass);
}

TEST(HostileCtc, SwappedArraysFail) {
  const ShaderFolder folder("ctc");
  folder.edit_binding(R"({"index": 5, "array": "alpha"},
            {"index": 6, "array": "beta"})",
                      R"({"index": 5, "array": "alpha"},
            {"index": 6, "array": "alpha"})");
  EXPECT_EQ(judge_ctc(folder, "gradient").verdict, Verdict::fail);
}

TEST(HostileCtc, AnElementThatIsNeverWrittenIsFound) {
  const ShaderFolder folder("ctc");
  folder.edit_source("  loss[b] = p ==", "  if (b != 1) loss[b] = p ==");
  const auto report = judge_ctc(folder, "inside");
  EXPECT_EQ(report.verdict, Verdict::fail);
  EXPECT_THAT(explanation(report), HasSubstr("loss[1] was not written"));
}

TEST(HostileCtc, AChangedInputIsFound) {
  const ShaderFolder folder("ctc");
  folder.edit_source("device const float* upstream [[buffer(8)]]", "device float* upstream [[buffer(8)]]");
  folder.edit_source("  if (is_past) return;", "  if (is_past) return;\n  if (t == 0) upstream[b] = 7;");
  EXPECT_THAT(explanation(judge_ctc(folder, "gradient")), HasSubstr("the shader has changed its input upstream["));
}

TEST(HostileCtc, ASizeThatIsNoneIsNamedWithItsProblem) {
  const ShaderFolder folder("ctc");
  folder.edit_binding(R"("grid": ["L", "B"])", R"("grid": ["L / 2", "B"])");
  EXPECT_THAT(explanation(judge_ctc(folder, "gradient")),
              AllOf(HasSubstr(R"(grid[0] = "L / 2" is)"), HasSubstr("at L="), HasSubstr("expected an integer")));
}

TEST(HostileCtc, AGridWithoutMeasureIsRefused) {
  const ShaderFolder folder("ctc");
  folder.edit_binding(R"("grid": ["T", "B"])", R"("grid": ["2^31", "2^31", "2^31"])");
  EXPECT_THAT(explanation(judge_ctc(folder, "gradient")),
              AllOf(HasSubstr("passes[2].passes[1] (ctc_gradient): 2147483648 x "), HasSubstr("the limit of steps")));
}

TEST(HostileCtc, RepeatsWithoutMeasureAreRefused) {
  const ShaderFolder folder("ctc");
  folder.edit_binding(R"("condition": "with_gradient",)",
                      R"("condition": "with_gradient", "repeat": {"variable": "i", "times": 1000000},)");
  folder.edit_binding(R"("grid": ["L", "B"])", R"("grid": [0])");
  folder.edit_binding(R"("grid": ["T", "B"])", R"("grid": [0])");
  EXPECT_THAT(explanation(judge_ctc(folder, "gradient")), HasSubstr("expected at most 1000000 passes"));
}

TEST(HostileCtc, AGroupTooLargeIsNamedWithItsPass) {
  const ShaderFolder folder("ctc");
  folder.edit_binding(R"("group": [64])", R"("group": [2048])");
  EXPECT_THAT(explanation(judge_ctc(folder, "loss")),
              AllOf(HasSubstr("passes[1] (ctc_loss)"), HasSubstr("threadgroup size limit")));
}

}  // namespace
}  // namespace assay::validation::transport::test
