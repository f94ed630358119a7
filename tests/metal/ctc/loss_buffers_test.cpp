// What is written and what it depends on: everything inside the outputs and nothing outside; the same bits with any
// number of threads, any workspace, with or without the gradient, and for a row alone or in a batch.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>

#include "tests/metal/ctc/batch.h"
#include "tests/metal/ctc/surrounded_workspace.h"

namespace assay::metal {
namespace {

/// 19 rows of mixed lengths, some without an alignment, in T=30, C=11.
Batch mixed_batch() {
  std::mt19937_64 bits(11);
  std::vector<std::vector<std::int64_t>> labels(19);
  for (std::size_t b = 0; b < labels.size(); ++b)
    for (std::size_t s = 0; s < b; ++s) labels[b].push_back(1 + static_cast<std::int64_t>(bits() % 10));
  Batch batch(30, 11, labels);
  for (std::size_t b = 0; b < labels.size(); ++b) batch.input_lengths[b] = 30 - static_cast<std::int64_t>(b * 7 % 13);
  batch.input_lengths[4] = 3;
  std::normal_distribution<float> normal(0.0F, 4.0F);
  for (float& activation : batch.activations) activation = normal(bits);
  return batch;
}

TEST(CtcLossBuffers, WritesAllOfTheOutputsAndNothingAround) {
  const Batch batch = mixed_batch();
  constexpr std::size_t margin = 64;
  std::vector<float> loss(batch.loss_size() + 2 * margin, poison);
  std::vector<float> gradient(batch.activations.size() + 2 * margin, poison);
  ctc_loss(batch.problem(), {std::span(loss).subspan(margin, batch.loss_size()),
                             std::span(gradient).subspan(margin, batch.activations.size())});
  for (const std::vector<float>* buffer : {&loss, &gradient})
    for (std::size_t i = 0; i < buffer->size(); ++i)
      EXPECT_EQ((*buffer)[i] == poison, i < margin || i >= buffer->size() - margin) << i;
}

TEST(CtcLossBuffers, FramesPastTheInputLengthAreZeroAndNotRead) {
  Batch batch = mixed_batch();
  const Outcome before = run(batch);
  for (std::int64_t b = 0; b < batch.options.B; ++b)
    for (std::int64_t t = batch.input_lengths[static_cast<std::size_t>(b)]; t < batch.options.T; ++t)
      for (std::int64_t c = 0; c < batch.options.C; ++c) {
        batch.at(t, b, c) = std::bit_cast<float>(0x7fc00001U);
        EXPECT_EQ(std::bit_cast<std::uint32_t>(before.gradient[batch.index(t, b, c)]), 0U);
      }
  const Outcome after = run(batch);
  EXPECT_TRUE(same_bits(before.loss, after.loss));
  EXPECT_TRUE(same_bits(before.gradient, after.gradient));
}

TEST(CtcLossBuffers, SameBitsWithAnyNumberOfThreadsAndAnyWorkspace) {
  Batch batch = mixed_batch();
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean})
    for (const bool zero_infinity : {false, true}) {
      batch.options.reduction = reduction;
      batch.options.zero_infinity = zero_infinity;
      const Outcome expected = run(batch, {.threads = 1, .workspace = {}});
      for (const int threads : {0, 1, 2, 3, 8, 100}) {
        const Outcome inside = run(batch, {.threads = threads, .workspace = {}});
        EXPECT_TRUE(same_bits(inside.loss, expected.loss) && same_bits(inside.gradient, expected.gradient));
        for (const int garbage : {0x00, 0x7f, 0xff}) {
          SurroundedWorkspace workspace(ctc_loss_workspace_size(batch.problem(), true, threads), std::byte(garbage));
          const Outcome own = run(batch, {.threads = threads, .workspace = workspace.span()});
          EXPECT_TRUE(same_bits(own.loss, expected.loss) && same_bits(own.gradient, expected.gradient)) << threads;
          EXPECT_TRUE(workspace.intact()) << threads;
        }
      }
    }
}

TEST(CtcLossBuffers, TheLossAloneHasTheSameBitsAndTakesLessWorkspace) {
  Batch batch = mixed_batch();
  for (const CtcInput input : {CtcInput::logits, CtcInput::log_probs}) {
    batch.options.input = input;
    SurroundedWorkspace workspace(ctc_loss_workspace_size(batch.problem(), false, 3), std::byte{0xff});
    EXPECT_TRUE(same_bits(run_loss(batch, {.threads = 3, .workspace = workspace.span()}), run(batch).loss));
    EXPECT_TRUE(workspace.intact());
    EXPECT_LT(2 * ctc_loss_workspace_size(batch.problem(), false, 3),
              ctc_loss_workspace_size(batch.problem(), true, 3));
  }
}

TEST(CtcLossBuffers, AnEmptyGradientThatPointsSomewhereIsNotWritten) {
  Batch batch = mixed_batch();
  std::vector<float> loss(batch.target_lengths.size()), elsewhere(batch.activations.size(), poison);
  SurroundedWorkspace workspace(ctc_loss_workspace_size(batch.problem(), false, 3), std::byte{0xff});
  ctc_loss(batch.problem(), {.loss = loss, .gradient = std::span(elsewhere).first(0)},
           {.threads = 3, .workspace = workspace.span()});
  EXPECT_TRUE(same_bits(loss, run(batch).loss));
  EXPECT_TRUE(workspace.intact());
  EXPECT_TRUE(are_all(poison, elsewhere));
}

TEST(CtcLossBuffers, ABatchIsItsRows) {
  const Batch batch = mixed_batch();
  const Outcome together = run(batch);
  for (std::size_t b = 0; b < batch.input_lengths.size(); ++b) {
    const auto first = batch.targets.begin() + static_cast<std::ptrdiff_t>(b) * batch.options.S;
    Batch row(batch.input_lengths[b], batch.options.C, {{first, first + batch.target_lengths[b]}});
    const auto slice = [&](const std::vector<float>& whole) {
      std::vector<float> values;
      for (std::int64_t t = 0; t < row.options.T; ++t)
        for (std::int64_t c = 0; c < row.options.C; ++c)
          values.push_back(whole[batch.index(t, static_cast<std::int64_t>(b), c)]);
      return values;
    };
    row.activations = slice(batch.activations);
    const Outcome alone = run(row);
    EXPECT_TRUE(same_bits(alone.loss, {together.loss[b]})) << b;
    EXPECT_TRUE(same_bits(alone.gradient, slice(together.gradient))) << b;
  }
}

TEST(CtcLossBuffers, PaddedAndConcatenatedTargetsAreTheSame) {
  const Batch batch = mixed_batch();
  const Outcome padded = run(batch), concatenated = run(batch.concatenated());
  EXPECT_TRUE(same_bits(padded.loss, concatenated.loss));
  EXPECT_TRUE(same_bits(padded.gradient, concatenated.gradient));
}

TEST(CtcLossBuffers, ARowWithFarTooManyLabelsTakesNoWorkspace) {
  const std::vector<std::int64_t> many(100000, 1);
  const Batch batch(10, 3, {{1}, many});
  EXPECT_LT(ctc_loss_workspace_size(batch.problem(), true, 1), 20000U);
  EXPECT_TRUE(std::isinf(run(batch).loss[1]));
}

}  // namespace
}  // namespace assay::metal
