// CtcLoss on mocks, beyond what holds of all hosts: plans and empty batches.
#include "metal/host/ctc/ctc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/ctc/shapes.h"
#include "tests/host/host_stream.h"
#include "tests/metal/ctc/batch.h"

namespace assay::metal::test {
namespace {

TEST(CtcLoss, OfNothingNeedsNoCommands) {
  HostStream stream;
  const CtcLoss loss = CtcLoss::create(stream.device, stream.library).value();
  EXPECT_CALL(*stream.queue, command_buffer()).Times(0);
  EXPECT_TRUE(loss(Batch(4, 5, {}).problem(), {}));
}

TEST(CtcLoss, PreparesPlansForADeviceThatSupportsTheType) {
  const Shapes shapes = one_row(2, 1);
  EXPECT_EQ(CtcLoss::create(nullptr).value().prepare(shapes.problem(), true).error().kind, Error::Kind::environment);
  HostStream stream;
  stream.function_names.clear();
  const CtcLoss loss = CtcLoss::create(stream.device, stream.library).value();
  EXPECT_TRUE(loss.prepare(shapes.problem(), true));
  EXPECT_THAT(loss.prepare(shapes.problem<BFloat16>(), true).error().text,
              testing::HasSubstr("the library has no function ctc_emissions_bfloat"));
}

TEST(CtcLoss, MakesAPipelineForEachTypeAndConstants) {
  HostStream stream;
  const CtcLoss loss = CtcLoss::create(stream.device, stream.library).value();
  Shapes shapes = one_row(4, 2);
  const CtcPlan before = loss.prepare(shapes.problem(), true).value();
  EXPECT_EQ(stream.pipelines.size(), 3U);
  (void)loss.prepare(shapes.problem<Half>(), true).value();
  EXPECT_EQ(stream.pipelines.size(), 5U) << "ctc_recursion_2 is there already";
  shapes.options.input = reference::CtcInput::log_probs;
  (void)loss.prepare(shapes.problem(), true).value();
  EXPECT_EQ(stream.pipelines.size(), 8U) << "other constants are other pipelines";
  EXPECT_CALL(*stream.library, reload_if_changed()).WillOnce(testing::Return(true));
  EXPECT_TRUE(loss.reload_if_changed().value());
  const CtcPlan after = loss.prepare(one_row(4, 2).problem(), true).value();
  EXPECT_NE(before.dispatches()[0].kernel.pipeline, after.dispatches()[0].kernel.pipeline) << "a plan keeps its own";
}

}  // namespace
}  // namespace assay::metal::test
