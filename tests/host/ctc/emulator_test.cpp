// CtcLoss with its kernels on the emulator gives what the CPU kernel gives, by every way through the host; and the
// emulator, which checks each access, has nothing to report.

#include "metal/device/or_throw.h"
#include "metal/host/commands.h"
#include "tests/host/device_batch.h"
#include "tests/kernels/emulated.h"
#include "tests/matchers.h"
#include "tests/replaced.h"

namespace assay::metal::test {
namespace {

CtcOptions options_of(CtcPath path, std::uint64_t workspace_bytes = 0) {
  CtcOptions options;
  options.path = path;
  options.workspace_bytes = workspace_bytes;
  return options;
}

class CtcOnEmulator : public testing::Test {
 protected:
  CtcLoss loss(const CtcOptions& options = {}) { return CtcLoss::create(device_, options).value(); }
  void TearDown() override { expect_no_reports(*device_); }

  std::shared_ptr<emulator::EmulatorDevice> device_ = emulated();
};

TEST_F(CtcOnEmulator, DoesEveryStatementOfAProblem) {
  for (const CtcPath path : {CtcPath::production, CtcPath::plain}) {
    const CtcLoss host = loss(options_of(path));
    for (const CtcInput input : {CtcInput::logits, CtcInput::log_probs})
      for (const CtcVariable variable : {CtcVariable::logits, CtcVariable::log_probs})
        for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean})
          for (const bool zero_infinity : {false, true}) {
            Batch batch = ragged_batch();
            batch.options.input = input;
            batch.options.variable = variable;
            batch.options.reduction = reduction;
            batch.options.zero_infinity = zero_infinity;
            batch.upstream.assign(batch.loss_size(), -1.5F);
            fill(batch);
            expect_near(on_device<float>(host, batch), on_cpu<float>(batch), 1e-4F, "gradient");
            expect_near(on_device<float>(host, batch, false), on_cpu<float>(batch, false), 1e-4F, "loss alone");
          }
  }
}

TEST_F(CtcOnEmulator, DoesEveryTypeAndLayout) {
  for (const CtcPath path : {CtcPath::production, CtcPath::plain}) {
    const CtcLoss host = loss(options_of(path));
    Batch batch = ragged_batch();
    batch.options.blank = 0;
    for (const Batch& layout : {batch, batch.concatenated()}) {
      expect_near(on_device<float>(host, layout), on_cpu<float>(layout), 1e-4F, "float");
      expect_near(on_device<Half>(host, layout), on_cpu<Half>(layout), 2e-3F, "half");
      expect_near(on_device<BFloat16>(host, layout), on_cpu<BFloat16>(layout), 2e-2F, "bfloat");
    }
  }
}

/// L = 31, 129, 513, 1025: one simdgroup, several, and 2, 4 and 8 states a thread.
TEST_F(CtcOnEmulator, DoesRowsOfEachSize) {
  const CtcLoss host = loss();
  for (const std::int64_t labels : {15, 64, 256, 512}) {
    const Batch batch = long_batch(labels);
    expect_near(on_device<float>(host, batch), on_cpu<float>(batch), 1e-3F, std::to_string(labels) + " labels");
  }
}

/// As if L were 8193: the states lie in device memory.
TEST_F(CtcOnEmulator, DoesRowsBeyondRegisters) {
  const CtcLoss host = CtcLoss::create(emulated(false), {.min_states = 8193}).value();
  const Batch batch = long_batch(300);
  for (const bool with_gradient : {true, false})
    expect_near(on_device<float>(host, batch, with_gradient), on_cpu<float>(batch, with_gradient), 1e-3F, "long row");
}

/// The recursion in parts of one frame, and of several. Rows end in different parts, one before it begins.
TEST_F(CtcOnEmulator, GivesEqualBitsInPartsOfSomeFrames) {
  Batch batch = ragged_batch();
  for (const bool with_gradient : {true, false}) {
    const CtcResults<float> whole = on_device<float>(loss(), batch, with_gradient);
    for (const std::uint64_t max_work : {std::uint64_t{1}, std::uint64_t{2} << 20, std::uint64_t{3} << 20}) {
      CtcOptions options;
      options.max_work = max_work;
      options.min_states = 8193;
      EXPECT_EQ(on_device<float>(loss(options), batch, with_gradient), whole) << max_work;
    }
  }
}

/// Planted: a part that begins as if there were no frames before it, and one whose rows all end in the last part.
TEST_F(CtcOnEmulator, WouldGiveOtherBitsInFaultyParts) {
  const std::string source =
      or_throw(some_kernels("ctc", {"emissions", "long_rows"},
                            {{"ctc_emissions_float", "emissions<float>"}, {"ctc_gradient_float", "gradient<float>"}}));
  const Batch batch = ragged_batch();
  CtcOptions options;
  options.max_work = 2 << 20;
  const CtcResults<float> whole = on_device<float>(loss(), batch);
  for (const auto& [text, instead] :
       {std::pair<std::string, std::string>{"step > 0 ? sum_into", "step > shape.first_step ? sum_into"},
        {"steps.frame(step - 1)), emissions)", "steps.frame(step)), emissions)"},
        {"cells_begin(row, steps, step - 1)", "cells_begin(row, steps, 0)"}}) {
    const CtcLoss faulty =
        CtcLoss::create(device_, or_throw(device_->new_library(replaced(source, text, instead))), options).value();
    EXPECT_FALSE(on_device<float>(faulty, batch) == whole) << instead;
  }
}

TEST_F(CtcOnEmulator, GivesEqualBitsInChunksOfAnySize) {
  Batch batch = ragged_batch();
  batch.options.reduction = Reduction::mean;
  for (const CtcPath path : {CtcPath::production, CtcPath::plain}) {
    const CtcResults<float> whole = on_device<float>(loss(options_of(path)), batch);
    for (const std::uint64_t bytes : {2304U, 2600U, 5000U})
      EXPECT_TRUE(on_device<float>(loss(options_of(path, bytes)), batch) == whole) << bytes;
  }
}

TEST_F(CtcOnEmulator, DoesWhatIsEmpty) {
  for (const CtcPath path : {CtcPath::production, CtcPath::plain}) {
    const CtcLoss host = loss(options_of(path));
    for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean})
      for (Batch batch :
           {Batch(3, 4, {}), Batch(0, 4, {{1}, {}}), Batch(0, 4, {}), Batch(3, 4, {{}, {}}), Batch(1, 1, {{}})}) {
        batch.options.reduction = reduction;
        fill(batch);
        expect_near(on_device<float>(host, batch), on_cpu<float>(batch), 1e-5F, "empty");
        expect_near(on_device<float>(host, batch, false), on_cpu<float>(batch, false), 1e-5F, "empty, loss alone");
      }
  }
}

/// A plan on a caller's own queue, its buffers within larger ones, encoded twice with other activations in between.
TEST_F(CtcOnEmulator, RunsAPlanAgainOnTheCallersBuffers) {
  Batch batch = ragged_batch();
  const CtcLoss host = loss(options_of(CtcPath::production, 2304));
  const CtcPlan plan = host.prepare(batch.problem(), true).value();
  constexpr std::uint64_t offset = 64;
  const auto buffer = [&](std::uint64_t bytes) { return *device_->new_buffer(bytes + offset, "the caller's"); };
  const CtcBuffers buffers{{buffer(plan.activation_bytes()), offset},
                           {buffer(plan.gradient_bytes()), offset},
                           {buffer(plan.loss_bytes()), offset}};
  const std::shared_ptr<CommandQueue> queue = device_->new_command_queue();
  for (const DispatchType type : {DispatchType::serial, DispatchType::concurrent}) {
    fill(batch, 7);
    std::memcpy(buffers.activations.buffer->contents() + offset, batch.activations.data(), plan.activation_bytes());
    ASSERT_TRUE(buffers.activations.buffer->did_modify(offset, plan.activation_bytes()));
    const std::shared_ptr<CommandBuffer> commands = queue->command_buffer();
    const auto encoder = *commands->compute_encoder(type);
    ASSERT_TRUE(plan.encode(*encoder, buffers));
    ASSERT_TRUE(plan.encode(*encoder, buffers));
    ASSERT_TRUE(encoder->end_encoding());
    ASSERT_TRUE(commands->commit());
    ASSERT_TRUE(commands->wait_until_completed());
    ASSERT_EQ(commands->status(), CommandBuffer::Status::completed);
    CtcResults<float> results(batch.problem());
    std::memcpy(results.loss.data(), buffers.loss.buffer->contents() + offset, plan.loss_bytes());
    std::memcpy(results.gradient.data(), buffers.gradient.buffer->contents() + offset, plan.gradient_bytes());
    expect_near(results, on_cpu<float>(batch), 1e-4F, "plan");
  }
}

/// Kernels load four classes at once where all frames are aligned to four; the emulator refuses such a load elsewhere.
TEST_F(CtcOnEmulator, HasTheSameBitsWhateverTheAlignment) {
  Batch batch(4, 300, {{1, 2, 299}, {7}});
  fill(batch, 3);
  const CtcPlan plan = loss(options_of(CtcPath::production)).prepare(batch.problem(), true).value();
  const auto run = [&](std::uint64_t offset) {
    const auto buffer = [&](std::uint64_t bytes) { return *device_->new_buffer(bytes + offset, "the caller's"); };
    const CtcBuffers buffers{{buffer(plan.activation_bytes()), offset},
                             {buffer(plan.gradient_bytes()), offset},
                             {buffer(plan.loss_bytes()), offset}};
    std::memcpy(buffers.activations.buffer->contents() + offset, batch.activations.data(), plan.activation_bytes());
    or_throw(buffers.activations.buffer->did_modify(offset, plan.activation_bytes()));
    or_throw(host::wait(*or_throw(host::commit(*device_->new_command_queue(), [&](ComputeCommandEncoder& encoder) {
      return plan.encode(encoder, buffers);
    }))));
    const std::byte* const gradient = buffers.gradient.buffer->contents() + offset;
    return std::vector<std::byte>(gradient, gradient + plan.gradient_bytes());
  };
  const auto aligned = run(16);
  EXPECT_EQ(run(4), aligned);
  EXPECT_EQ(run(8), aligned);
}

TEST_F(CtcOnEmulator, SaysThatARowIsTooLarge) {
  Batch batch = ragged_batch();
  CtcResults<float> results = on_cpu<float>(batch);
  const Result<void> done =
      loss(options_of(CtcPath::production, 100))(batch.problem(), {results.loss, results.gradient});
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().text, HasSubstr("expected at most workspace_bytes = 100"));
}

}  // namespace
}  // namespace assay::metal::test
