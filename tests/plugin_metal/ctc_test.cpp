// A stranger's CTC passes; made hostile by one edit of its text, it gets the verdict and the words that it deserves.
#include <gtest/gtest.h>

#include <limits>

#include "tests/matchers.h"
#include "tests/plugin_metal/shader_folder.h"
#include "tests/validation/named.h"
#include "validation/ctc/fields.h"
#include "validation/ctc/operation.h"
#include "validation/registry.h"

namespace assay::validation::transport::test {
namespace {

PropertyReport judge_ctc(const ShaderFolder& folder, const std::string& property, int shrink_budget = 0) {
  Coverage coverage(class_names<CtcOperation>());
  const GateOptions options{.cases = 10, .shrink_budget = shrink_budget, .given = {}};
  const auto kernel = kernel_called<CtcOperation>(folder.binding());
  return run_property(named(CtcOperation::properties(), property), {*kernel}, options, coverage);
}

std::string explanation(const PropertyReport& report) {
  return report.failure ? report.failure->explanation : "no failure";
}

TEST(StrangersCtc, DeclaresWhatItsBindingSays) {
  const ShaderFolder folder("ctc");
  const CtcKernelInfo info = kernel_called<CtcOperation>(folder.binding())->info();
  EXPECT_EQ(info.name, folder.binding());
  EXPECT_EQ(info.arithmetic, Arithmetic::log_space);
  EXPECT_EQ(info.unit_roundoff, 0x1p-24);
  EXPECT_FALSE(info.support.does("logits"));
  EXPECT_TRUE(info.support.does("log_probs"));
  EXPECT_EQ(info.support.limits.at("S"), 1000);
  EXPECT_FALSE(info.support.does("checks_arguments"));
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
  const auto kernel = kernel_called<CtcOperation>(folder.binding());
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
  EXPECT_FALSE(run_kernel(*kernel_called<CtcOperation>(folder.binding()), one_frame(1)).refused);
  folder.edit_binding(R"("operation")", R"("host_validates": true, "operation")");
  const auto kernel = kernel_called<CtcOperation>(folder.binding());
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
  EXPECT_LE(report.failure->problem.as<CtcCase>().activations.size(), 16U) << "shrunk: " << report.failure->origin;
}

TEST(HostileCtc, AWrongSignFailsTheGradientAlone) {
  const ShaderFolder folder("ctc");
  folder.edit_source("exp(y[k]) - posterior :", "posterior - exp(y[k]) :");
  EXPECT_EQ(judge_ctc(folder, "gradient").verdict, Verdict::fail);
  EXPECT_EQ(judge_ctc(folder, "loss").verdict, Verdict::pass);
}

struct Edit {
  const ShaderFolder& (ShaderFolder::*of)(const std::string&, const std::string&) const;
  std::string before, after;
};

Edit source(const std::string& before, const std::string& after) {
  return {&ShaderFolder::edit_source, before, after};
}

Edit binding(const std::string& before, const std::string& after) {
  return {&ShaderFolder::edit_binding, before, after};
}

struct Deed {
  const char* name;
  const char* property;
  Verdict verdict;
  std::vector<Edit> edits;
  std::vector<std::string> said;  ///< regular expressions
};

class HostileCtcDeed : public testing::TestWithParam<Deed> {};

TEST_P(HostileCtcDeed, GetsItsVerdict) {
  const ShaderFolder folder("ctc");
  for (const Edit& edit : GetParam().edits) (folder.*edit.of)(edit.before, edit.after);
  const auto report = judge_ctc(folder, GetParam().property);
  EXPECT_EQ(report.verdict, GetParam().verdict);
  for (const std::string& words : GetParam().said) EXPECT_THAT(explanation(report), ContainsRegex(words));
}

constexpr Verdict error = Verdict::error;
const Deed deeds[] = {
    Deed("missing_barrier", "loss", error, {source("    threadgroup_barrier(mem_flags::mem_threadgroup);\n", "")},
         {"racecheck: kernel ctc_alpha", "`columns`", "earlier ", "ctc.metal:[0-9]+:[0-9]+"}),
    Deed("unset_threadgroup_memory", "loss", error, {source("if (t > 0) {", "if (t + 1 > 0) {")},
         {"initcheck: kernel ctc_alpha", "`columns`"}),
    Deed("endless_loop", "gradient", error,
         {source("for (uint s = 0; s < states; ++s) {", "for (uint s = 0; s < states;) {")},
         {"synccheck: kernel ctc_gradient", "an endless loop[?]", "ctc.metal:[0-9]+"}),
    Deed("endless_loop_without_access", "loss", error,
         {source("  float p = states == 1", "  for (uint x = 1; x != 0;) x = x * 3;\n  float p = states == 1")},
         {"synccheck: kernel ctc_loss", "an endless loop[?]", "ctc.metal:8"}),
    Deed("own_step_limit", "gradient", error,
         {binding(R"("operation")", R"("step_limit": "B > 0 ? 32 * B : 1", "operation")")}, {"an endless loop[?]"}),
    Deed("swapped_arrays", "gradient", Verdict::fail,
         {binding(R"({"index": 6, "array": "beta"})", R"({"index": 6, "array": "alpha"})")}, {}),
    Deed("unwritten_element", "inside", Verdict::fail, {source("  loss[b] = p ==", "  if (b != 1) loss[b] = p ==")},
         {"loss.1. was not written"}),
    Deed("changed_input", "gradient", error,
         {source("device const float* upstream [[buffer(8)]]", "device float* upstream [[buffer(8)]]"),
          source("  if (is_past) return;", "  if (is_past) return;\n  if (t == 0) upstream[b] = 7;")},
         {"the shader has changed its input upstream.|racecheck: .*`upstream`"}),
    Deed("grid_that_is_no_integer", "gradient", error, {binding(R"("grid": ["L", "B"])", R"("grid": ["L / 2", "B"])")},
         {R"(grid.0. = "L / 2" is)", "at L=", "expected an integer"}),
    Deed("grid_beyond_all_steps", "gradient", error,
         {binding(R"("grid": ["T", "B"])", R"("grid": ["2^31", "2^31", "2^31"])")},
         {"passes.2..passes.1. .ctc_gradient.: 2147483648 x ", "the limit of steps"}),
    Deed("repeats_beyond_all_passes", "gradient", error,
         {binding(R"("condition": "with_gradient",)",
                  R"("condition": "with_gradient", "repeat": {"variable": "i", "times": 1000000},)"),
          binding(R"("grid": ["L", "B"])", R"("grid": [0])"), binding(R"("grid": ["T", "B"])", R"("grid": [0])")},
         {"expected at most 1000000 passes"}),
    Deed("counts_beyond_all_steps", "gradient", error,
         {binding(R"("scratch": {)",
                  R"("fill": {"counts": 65536}, "scratch": {"counts": {"type": "uint", "elements": 3},)"),
          binding(R"("grid": ["T", "B"])", R"("threadgroups": {"array": "counts"})")},
         {"passes.2..passes.1. .ctc_gradient.: 524288 x ", "the limit of steps"}),
    Deed("group_too_large", "loss", error, {binding(R"("group": [64])", R"("group": [2048])")},
         {"passes.1. .ctc_loss.", "threadgroup size limit"}),
};
INSTANTIATE_TEST_SUITE_P(Each, HostileCtcDeed, testing::ValuesIn(deeds),
                         [](const auto& deed) { return std::string(deed.param.name); });

}  // namespace
}  // namespace assay::validation::transport::test
