// CTC plug-ins that are right pass, and what they declare is what they are held to.
#include <gtest/gtest.h>

#include "tests/matchers.h"
#include "tests/plugin/plugins.h"
#include "validation/ctc/fields.h"
#include "validation/ctc/operation.h"
#include "validation/registry.h"

namespace assay::validation::transport {
namespace {

TEST(CtcPlugin, PassesTheGateInAllOptions) {
  EXPECT_EQ(failures<CtcOperation>(*kernel_called<CtcOperation>(built("full_ctc")), 10), "");
  EXPECT_EQ(failures<CtcOperation>(*kernel_called<CtcOperation>(built("full_ctc_float")), 10), "");
}

TEST(CtcPlugin, OfAnotherHeaderGoesOn) {
  EXPECT_EQ(failures<CtcOperation>(*kernel_called<CtcOperation>(built("compiled_ctc")), 10), "");
}

TEST(CtcPlugin, MayTakeNamedArrays) {
  EXPECT_EQ(failures<CtcOperation>(*kernel_called<CtcOperation>(built("named_ctc")), 10), "");
  const auto forgets = kernel_called<CtcOperation>(built("named_ctc_forgets_blank"));
  EXPECT_EQ(judged<CtcOperation>(*forgets, "loss", 30).verdict, Verdict::fail);
}

TEST(CtcPlugin, IsSkippedWhereItDeclaresLess) {
  const auto kernel = kernel_called<CtcOperation>(built("minimal"));
  EXPECT_EQ(failures<CtcOperation>(*kernel, 10), "");
  const auto loss = judged<CtcOperation>(*kernel, "loss", 10);
  EXPECT_EQ(loss.verdict, Verdict::pass);
  EXPECT_THAT(loss.skipped, Contains(Key(HasSubstr("the kernel does not do"))));
}

/// A loss that lies half a unit of bfloat16 off is right there, and far off in float32.
TEST(CtcPlugin, IsHeldToTheRoundingOfItsType) {
  const auto rounds = kernel_called<CtcOperation>(built("bfloat16"));
  EXPECT_EQ(rounds->info().support.dtypes, std::vector{Dtype::bfloat16});
  EXPECT_EQ(failures<CtcOperation>(*rounds, 10), "");
  EXPECT_EQ(judged<CtcOperation>(*rounds, "gradient").verdict, Verdict::pass);
  EXPECT_EQ(judged<CtcOperation>(*kernel_called<CtcOperation>(built("bfloat16_truncates")), "gradient").verdict,
            Verdict::fail);
}

/// Two frames whose label is 40,000 below the other class: a loss of 80,000, which float16 has not.
TEST(CtcPlugin, IsNotAskedForWhatItsTypeCannotHold) {
  CtcCase c;
  c.T = 2;
  c.B = 1;
  c.C = 2;
  c.activations = {-40000, 0, -40000, 0};
  c.input_lengths = {2};
  set_targets(c, {{}});
  c.dtype = Dtype::float16;
  const CtcKernelInfo narrow{.name = "narrow", .losses_of_dtype = true, .support = {.dtypes = {Dtype::float16}}};
  EXPECT_THAT(why_not(narrow, c), HasSubstr("leave the range of its type"));
  c.activations = {-30000, 0, -30000, 0};
  EXPECT_EQ(why_not(narrow, c), "");
}

}  // namespace
}  // namespace assay::validation::transport
