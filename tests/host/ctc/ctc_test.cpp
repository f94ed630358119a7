// CtcLoss on mocks: what goes to the device and what to the CPU, refusals, pipelines, and every call that can fail.
#include "metal/host/ctc/ctc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/ctc/shapes.h"
#include "tests/host/device_calls.h"
#include "tests/host/host_stream.h"
#include "tests/metal/ctc/batch.h"

namespace assay::metal::test {
namespace {

using testing::_;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

Batch small_batch() {
  Batch batch(4, 5, {{2, 1}, {3}});
  for (std::size_t i = 0; i < batch.activations.size(); ++i) batch.activations[i] = static_cast<float>(i % 7) * 0.5F;
  return batch;
}

/// Outputs of a batch, in arrays that hold a value no result has.
struct Outputs {
  explicit Outputs(const Batch& batch)
      : loss(batch.loss_size(), 12345.0F), gradient(batch.activations.size(), 12345.0F) {}
  CtcOutput<float> spans() { return {loss, gradient}; }
  bool are_untouched() const {
    return std::ranges::all_of(loss, [](float x) { return x == 12345.0F; }) &&
           std::ranges::all_of(gradient, [](float x) { return x == 12345.0F; });
  }
  std::vector<float> loss, gradient;
};

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& refusal) {
    return refusal.what();
  }
  return "no refusal";
}

TEST(CtcLoss, WithoutADeviceIsTheCpus) {
  const CtcLoss loss = CtcLoss::create(nullptr).value();
  const Batch batch = small_batch();
  Outputs outputs(batch);
  ASSERT_TRUE(loss(batch.problem(), outputs.spans()));
  const Outcome expected = run(batch);
  EXPECT_EQ(outputs.loss, expected.loss);
  EXPECT_EQ(outputs.gradient, expected.gradient);
  EXPECT_FALSE(loss.is_on_device<float>());
  EXPECT_FALSE(loss.reload_if_changed().value());
  EXPECT_EQ(loss.prepare(batch.problem(), true).error().kind, Error::Kind::environment);
}

TEST(CtcLoss, OfBfloatIsTheCpusWhereTheLibraryHasNone) {
  HostStream stream;
  stream.function_names = {"ctc_emissions_float", "ctc_plain_log_softmax_bfloat"};
  const CtcLoss loss = CtcLoss::create(stream.device, stream.library).value();
  EXPECT_TRUE(loss.is_on_device<float>());
  EXPECT_TRUE(loss.is_on_device<Half>());
  EXPECT_FALSE(loss.is_on_device<BFloat16>());
  Shapes shapes = one_row(2, 1);
  const std::vector<BFloat16> zeros(10);
  std::vector<BFloat16> gradient(10, BFloat16(7.0));
  std::vector<float> losses(1);
  reference::CtcProblem<BFloat16> problem = shapes.problem<BFloat16>();
  problem.activations = zeros;
  ASSERT_TRUE(loss(problem, {losses, gradient}));
  EXPECT_NEAR(losses[0], -std::log(3.0 / 25), 1e-6);
  EXPECT_TRUE(stream.dispatches().empty());
  EXPECT_THAT(loss.prepare(problem, true).error().text, HasSubstr("the library has no function ctc_emissions_bfloat"));
}

TEST(CtcLoss, CopiesInRunsAndCopiesOut) {
  HostStream stream;
  const CtcLoss loss = CtcLoss::create(stream.device, stream.library).value();
  const Batch batch = small_batch();
  Outputs outputs(batch);
  testing::InSequence order;
  EXPECT_CALL(*stream.commands, compute_encoder(DispatchType::serial));
  EXPECT_CALL(*stream.encoder, end_encoding());
  EXPECT_CALL(*stream.commands, commit());
  EXPECT_CALL(*stream.commands, wait_until_completed());
  ASSERT_TRUE(loss(batch.problem(), outputs.spans()));
  EXPECT_EQ(stream.table<float>("ctc activations"), batch.activations);
  EXPECT_EQ(stream.dispatches().size(), 3U);
  EXPECT_EQ(stream.lengths.at("ctc gradient"), batch.activations.size() * 4);
  EXPECT_THAT(outputs.gradient, Each(0.0F)) << "what lies in the mocks' buffers";
  EXPECT_THAT(outputs.loss, Each(0.0F));
}

TEST(CtcLoss, OfNothingNeedsNoCommands) {
  HostStream stream;
  const CtcLoss loss = CtcLoss::create(stream.device, stream.library).value();
  EXPECT_CALL(*stream.queue, command_buffer()).Times(0);
  EXPECT_TRUE(loss(Batch(4, 5, {}).problem(), {}));
}

TEST(CtcLoss, RefusesWhatTheCpuRefusesInTheSameWords) {
  HostStream stream;
  const CtcLoss loss = CtcLoss::create(stream.device, stream.library).value();
  const std::vector<std::function<void(Batch&)>> faults = {
      [](Batch& batch) { batch.options.T = -1; },
      [](Batch& batch) { batch.options.blank = 5; },
      [](Batch& batch) { batch.input_lengths[1] = 5; },
      [](Batch& batch) { batch.targets[0] = 0; },
      [](Batch& batch) { batch.upstream = {1.0F}; },
      [](Batch& batch) { batch.activations.pop_back(); },
      [](Batch& batch) { batch.at(2, 1, 3) = std::numeric_limits<float>::quiet_NaN(); },
      [](Batch& batch) { batch.at(2, 1, 3) = std::numeric_limits<float>::infinity(); }};
  for (const auto& plant : faults) {
    Batch batch = small_batch();
    plant(batch);
    Outputs outputs(small_batch());
    const std::string cpu = refusal_of([&] { ctc_loss(batch.problem(), outputs.spans()); });
    EXPECT_EQ(refusal_of([&] { (void)loss(batch.problem(), outputs.spans()); }), cpu);
    EXPECT_NE(cpu, "no refusal");
    EXPECT_TRUE(outputs.are_untouched());
  }
  Outputs outputs(small_batch());
  outputs.loss.pop_back();
  EXPECT_THAT(refusal_of([&] { (void)loss(small_batch().problem(), outputs.spans()); }), HasSubstr("loss.size() = 1"));
  EXPECT_THAT(stream.lengths, IsEmpty());
}

TEST(CtcLoss, MakesEachPipelineOnce) {
  HostStream stream;
  const CtcLoss loss = CtcLoss::create(stream.device, stream.library).value();
  Shapes shapes = one_row(4, 2);
  for (int i = 0; i < 3; ++i) (void)loss.prepare(shapes.problem(), true).value();
  EXPECT_EQ(stream.pipelines.size(), 3U);
  (void)loss.prepare(shapes.problem<Half>(), true).value();
  EXPECT_EQ(stream.pipelines.size(), 5U) << "ctc_forward_1 is there already";
  shapes.options.input = reference::CtcInput::log_probs;
  (void)loss.prepare(shapes.problem(), true).value();
  EXPECT_EQ(stream.pipelines.size(), 8U) << "other constants are other pipelines";
}

TEST(CtcLoss, RemakesPipelinesAfterAReload) {
  HostStream stream;
  const CtcLoss loss = CtcLoss::create(stream.device, stream.library).value();
  const Shapes shapes = one_row(4, 2);
  const CtcPlan before = loss.prepare(shapes.problem(), true).value();
  EXPECT_CALL(*stream.library, reload_if_changed())
      .WillOnce(testing::Return(false))
      .WillOnce(testing::Return(error(Error::Kind::compile, "line 3")))
      .WillOnce(testing::Return(true));
  EXPECT_FALSE(loss.reload_if_changed().value());
  EXPECT_EQ(loss.reload_if_changed().error(), (Error{Error::Kind::compile, "reloading the kernels: line 3"}));
  (void)loss.prepare(shapes.problem(), true).value();
  EXPECT_EQ(stream.pipelines.size(), 3U) << "unchanged, or not to be compiled: the old ones";
  EXPECT_TRUE(loss.reload_if_changed().value());
  const CtcPlan after = loss.prepare(shapes.problem(), true).value();
  EXPECT_EQ(stream.pipelines.size(), 6U);
  EXPECT_NE(before.dispatches()[0].kernel.pipeline, after.dispatches()[0].kernel.pipeline);
}

TEST(CtcLoss, TriesAPipelineAgainThatCouldNotBeMade) {
  HostStream stream;
  const CtcLoss loss = CtcLoss::create(stream.device, stream.library).value();
  stream.fail(0, Failure::error);
  EXPECT_FALSE(loss.prepare(one_row(4, 2).problem(), true));
  EXPECT_TRUE(loss.prepare(one_row(4, 2).problem(), true));
}

TEST(CtcLoss, NeedsBothDeviceAndLibrary) {
  HostStream stream;
  EXPECT_THAT(CtcLoss::create(stream.device, std::shared_ptr<Library>()).error().text, HasSubstr("library = null"));
  EXPECT_THAT(CtcLoss::create(nullptr, stream.library).error().text, HasSubstr("device = null"));
}

/// A batch of two rows, its losses summed.
HostRun small_run() {
  auto outputs = std::make_shared<Outputs>(small_batch());
  const auto run = [outputs](HostStream& stream) -> Result<void> {
    const Result<CtcLoss> loss = CtcLoss::create(stream.device, {.kernels = "absent.metal"});
    if (!loss) return tl::unexpected(loss.error());
    Batch batch = small_batch();
    batch.options.reduction = Reduction::sum;
    return (*loss)(batch.problem(), {std::span(outputs->loss).first(1), outputs->gradient});
  };
  return {run, [outputs] { return outputs->are_untouched(); }};
}

TEST(CtcLoss, SaysWhatFailedAndLeavesNothingBehind) {
  expect_each_failure_is_told(small_run);
}

TEST(CtcLoss, MakesItsCallsInOrder) {
  expect_calls_in_order(small_run, 1);
}

TEST(CtcLoss, HasBuffersAsLongAsItsShapesNeed) {
  constexpr std::uint64_t T = 4, B = 2, C = 5, labels = 3, classes = 3 + 2, L = 2 * labels + B;
  constexpr std::uint64_t cell = 8;  // a mantissa and an exponent
  expect_buffers(small_run, {{"ctc rows", B * sizeof(ctc::Row)},
                             {"ctc slots", labels * 4},
                             {"ctc order", labels * 4},
                             {"ctc ends", classes * 4},
                             {"ctc classes", classes * 4},
                             {"ctc emissions", T * classes * cell},
                             {"ctc normalizers", T * B * 4},
                             {"ctc alpha", T * L * cell},
                             {"ctc beta", 0},
                             {"ctc losses", B * 4},
                             {"ctc activations", T * B * C * 4},
                             {"ctc loss", 4},
                             {"ctc gradient", T * B * C * 4}});
}

TEST(CtcLoss, SaysWhatStoppedTheCommands) {
  expect_failed_commands_are_told(small_run);
}

TEST(CtcLoss, EndsItsEncoderOnAnError) {
  expect_encoder_is_ended(small_run);
}

}  // namespace
}  // namespace assay::metal::test
