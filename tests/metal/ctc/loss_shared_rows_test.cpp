// Fewer rows than threads: these share the frames of a row, and give the bits that one thread gives.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>

#include "metal/cpu/ctc/plan.h"
#include "tests/metal/ctc/batch.h"
#include "tests/metal/ctc/surrounded_workspace.h"

namespace assay::metal {
namespace {

/// Three rows of 60 frames of 3001 classes, one shorter, one without an alignment.
Batch few_large_rows() {
  std::mt19937_64 bits(5);
  Batch batch(60, 3001, {{7, 7, 2999, 3}, {1, 2, 3, 4, 5, 6, 7, 8}, {}});
  batch.input_lengths = {60, 7, 41};
  std::normal_distribution<float> normal(0.0F, 3.0F);
  for (float& activation : batch.activations) activation = normal(bits);
  return batch;
}

TEST(CtcLossSharedRows, ThreadsShareRowsWhereThereAreFewAndLarge) {
  const Batch batch = few_large_rows(), small(60, 28, {{1}});
  EXPECT_EQ(cpu::plan(batch.problem(), true, 1).workers, 1U);
  EXPECT_EQ(cpu::plan(batch.problem(), true, 2).frames, 0U);
  const cpu::Plan shared = cpu::plan(batch.problem(), true, 7);
  EXPECT_EQ(shared.workers, 7U);
  EXPECT_EQ(shared.rows, 3U);
  EXPECT_GT(shared.frames, 0U);
  EXPECT_EQ(cpu::plan(small.problem(), true, 7).workers, 1U);
}

TEST(CtcLossSharedRows, SameBitsAsWithOneThread) {
  Batch batch = few_large_rows();
  for (const CtcInput input : {CtcInput::logits, CtcInput::log_probs})
    for (const CtcVariable variable : {CtcVariable::logits, CtcVariable::log_probs}) {
      batch.options.input = input;
      batch.options.variable = variable;
      const Outcome expected = run(batch, {.threads = 1, .workspace = {}});
      for (const int threads : {4, 7, 64}) {
        SurroundedWorkspace workspace(ctc_loss_workspace_size(batch.problem(), true, threads), std::byte{0xff});
        const Outcome shared = run(batch, {.threads = threads, .workspace = workspace.span()});
        EXPECT_TRUE(same_bits(shared.loss, expected.loss) && same_bits(shared.gradient, expected.gradient)) << threads;
        EXPECT_TRUE(workspace.intact()) << threads;
        EXPECT_TRUE(same_bits(run_loss(batch, {.threads = threads, .workspace = {}}), expected.loss)) << threads;
      }
    }
}

TEST(CtcLossSharedRows, ManyShortRowsAreTakenSeveralAtATimeWithTheSameBits) {
  Batch batch(2, 3, std::vector<std::vector<std::int64_t>>(3001, {1}));
  for (std::size_t i = 0; i < batch.activations.size(); ++i) batch.activations[i] = static_cast<float>(i % 17) * 0.25F;
  EXPECT_GT(cpu::plan(batch.problem(), true, 2).workers, 1U);
  EXPECT_GT(cpu::plan(batch.problem(), true, 2).rows_each, 50U);
  const Outcome one = run(batch, {.threads = 1, .workspace = {}}), more = run(batch, {.threads = 3, .workspace = {}});
  EXPECT_TRUE(same_bits(one.loss, more.loss) && same_bits(one.gradient, more.gradient));
}

TEST(CtcLossSharedRows, ABadActivationInTheLastFrameIsRefusedBeforeAnythingIsWritten) {
  Batch batch = few_large_rows();
  batch.at(40, 2, 3000) = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> loss = poisoned<float>(batch.loss_size()), gradient = poisoned<float>(batch.activations.size());
  EXPECT_THROW(ctc_loss(batch.problem(), {loss, gradient}, {.threads = 7, .workspace = {}}), std::invalid_argument);
  EXPECT_TRUE(are_all(poison, loss) && are_all(poison, gradient));
}

}  // namespace
}  // namespace assay::metal
