// CtcLoss on mocks: what goes to the device and what to the CPU, refusals, pipelines, and every call that can fail.
#include "metal/host/ctc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/host_stream.h"
#include "tests/host/shapes.h"
#include "tests/metal/batch.h"

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

/// What is made on the way to a result, in its order: the call, and how its failure is told.
const std::vector<std::pair<std::string, std::string>> steps = {
    {"new_library_from_file", "compiling absent.metal: "},
    {"new_command_queue", "making a command queue: "},
    {"new_function", "finding kernel ctc_backward_1_float: "},
    {"new_pipeline", "making the pipeline of kernel ctc_backward_1_float: "},
    {"new_function", "finding kernel ctc_emissions_float: "},
    {"new_pipeline", "making the pipeline of kernel ctc_emissions_float: "},
    {"new_function", "finding kernel ctc_forward_1: "},
    {"new_pipeline", "making the pipeline of kernel ctc_forward_1: "},
    {"new_function", "finding kernel ctc_reduce: "},
    {"new_pipeline", "making the pipeline of kernel ctc_reduce: "},
    {"new_buffer", "allocating buffer `rows` of 128 bytes: "},
    {"new_buffer", "allocating buffer `slots` of 12 bytes: "},
    {"new_buffer", "allocating buffer `order` of 12 bytes: "},
    {"new_buffer", "allocating buffer `ends` of 20 bytes: "},
    {"new_buffer", "allocating buffer `classes` of 20 bytes: "},
    {"new_buffer", "allocating buffer `emissions` of 160 bytes: "},
    {"new_buffer", "allocating buffer `normalizers` of 32 bytes: "},
    {"new_buffer", "allocating buffer `alpha` of 256 bytes: "},
    {"new_buffer", "allocating buffer `beta` of 16 bytes: "},
    {"new_buffer", "allocating buffer `losses` of 16 bytes: "},
    {"new_buffer", "allocating buffer `activations` of 160 bytes: "},
    {"new_buffer", "allocating buffer `loss` of 16 bytes: "},
    {"new_buffer", "allocating buffer `gradient` of 160 bytes: "},
    {"command_buffer", "making a command buffer: "},
    {"compute_encoder", "fetching an encoder: "},
    {"end_encoding", "encoding: "},
    {"commit", "committing the commands: "},
    {"wait_until_completed", "waiting for the commands: "}};

Result<void> create_and_run(HostStream& stream, Outputs& outputs) {
  CtcOptions options;
  options.kernels = "absent.metal";
  const Result<CtcLoss> loss = CtcLoss::create(stream.device, options);
  if (!loss) return tl::unexpected(loss.error());
  Batch batch = small_batch();
  batch.options.reduction = Reduction::sum;
  return (*loss)(batch.problem(), {std::span(outputs.loss).first(1), outputs.gradient});
}

/// Every call fails once, with an error and with nothing: the result says at what, no output is touched, all is freed.
TEST(CtcLoss, SaysWhatFailedAndLeavesNothingBehind) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const Failure how : {Failure::error, Failure::nothing}) {
      const auto& [call, text] = steps[i];
      HostStream stream;
      Outputs outputs(small_batch());
      const long device = stream.device.use_count(), library = stream.library.use_count();
      const long encoder = stream.encoder.use_count(), commands = stream.commands.use_count();
      stream.fail(static_cast<int>(i), how);
      const Result<void> result = create_and_run(stream, outputs);
      ASSERT_FALSE(result) << text;
      EXPECT_EQ(stream.failed, call);
      EXPECT_EQ(result.error().text.substr(0, text.size()), text);
      EXPECT_THAT(result.error().text, testing::AnyOf(HasSubstr("planted in " + call), HasSubstr("no reason")));
      EXPECT_TRUE(outputs.are_untouched()) << text;
      EXPECT_EQ(stream.live_buffers(), 0U) << text;
      EXPECT_EQ(stream.device.use_count(), device) << text;
      EXPECT_EQ(stream.library.use_count(), library) << text;
      EXPECT_EQ(stream.encoder.use_count(), encoder) << text;
      EXPECT_EQ(stream.commands.use_count(), commands) << text;
    }
}

TEST(CtcLoss, MakesNoCallThatMayFailUnseen) {
  HostStream stream;
  Outputs outputs(small_batch());
  ASSERT_TRUE(create_and_run(stream, outputs));
  EXPECT_EQ(stream.calls, static_cast<int>(steps.size()));
  EXPECT_EQ(stream.live_buffers(), 0U);
}

TEST(CtcLoss, SaysWhatStoppedTheCommands) {
  HostStream stream;
  Outputs outputs(small_batch());
  stream.run_error = Error{Error::Kind::execution, "the kernel was endless"};
  EXPECT_EQ(create_and_run(stream, outputs).error(),
            (Error{Error::Kind::execution, "running the commands: the kernel was endless"}));
  EXPECT_TRUE(outputs.are_untouched());
  stream.run_error = std::nullopt;
  ON_CALL(*stream.commands, status()).WillByDefault(testing::Return(CommandBuffer::Status::committed));
  EXPECT_THAT(create_and_run(stream, outputs).error().text, HasSubstr("they did not complete"));
  EXPECT_TRUE(outputs.are_untouched());
}

/// The encoder is ended where encoding went wrong: Metal ends the process where one goes open.
TEST(CtcLoss, EndsItsEncoderOnAnError) {
  HostStream stream;
  Outputs outputs(small_batch());
  ON_CALL(*stream.encoder, dispatch_threadgroups(_, _)).WillByDefault([&] { (void)stream.device->new_buffer(16, ""); });
  EXPECT_CALL(*stream.encoder, end_encoding());
  const Result<void> result = create_and_run(stream, outputs);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::stale_encoder);
}

}  // namespace
}  // namespace assay::metal::test
