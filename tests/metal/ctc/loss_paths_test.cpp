// The recursion in scaled doubles and that in extended range, forced over the same cases: they agree within what the
// two may be off, the first is taken where it can be, and not where it would lose an alignment.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "metal/cpu/ctc/error_bound.h"
#include "tests/metal/ctc/large_batch.h"

namespace assay::metal {
namespace {

using cpu::Path;

/// Holds the two ways against each other with twice the bound of each; returns the rows that took extended range though
/// they were not forced to.
std::size_t expect_agreement(const Batch& batch) {
  const auto scaled = run_on(batch, Path::scaled), extended = run_on(batch, Path::extended);
  EXPECT_EQ(extended.extended_rows, batch.input_lengths.size());
  const auto C = static_cast<std::size_t>(batch.options.C), B = batch.input_lengths.size();
  for (std::size_t b = 0; b < B; ++b) {
    const CtcErrorBound bound(batch.input_lengths[b], batch.options.C, batch.target_lengths[b], batch.options.input);
    EXPECT_LE(std::fabs(scaled.loss[b] - extended.loss[b]), 2 * bound.loss(extended.loss[b])) << b;
    for (std::size_t i = 0; i < scaled.gradient.size(); ++i) {
      if (i / C % B != b) continue;
      const double error = std::fabs(static_cast<double>(scaled.gradient[i]) - extended.gradient[i]);
      const double posterior = 1.0 + std::fabs(extended.gradient[i]);  // at least y and the posterior
      EXPECT_LE(error, 2 * bound.gradient(1.0, posterior, posterior) + 0x1p-24 * std::fabs(extended.gradient[i]))
          << "t=" << i / C / B << " c=" << i % C;
      if (testing::Test::HasFailure()) return scaled.extended_rows;
    }
  }
  return scaled.extended_rows;
}

TEST(CtcLossPaths, AgreeOnLogitsOfUsualSizeInScaledDoubles) {
  EXPECT_EQ(expect_agreement(normal_batch(7, 150, 28, 75, 1.0F)), 0U);
  EXPECT_EQ(expect_agreement(normal_batch(2, 150, 28, 150 / 2 - 1, 2.0F)), 0U);
  EXPECT_EQ(expect_agreement(normal_batch(3, 40, 5000, 30, 1.0F)), 0U);
  EXPECT_EQ(expect_agreement(normal_batch(3, 100, 30, 0, 1.0F)), 0U);
}

TEST(CtcLossPaths, AgreeAtEveryNumberOfLabelsAndFramesAroundTheLanes) {
  for (std::int64_t S = 0; S <= 18; ++S)
    for (const std::int64_t spare : {0, 1, 2, 7, 8, 9, 20}) {
      Batch batch = normal_batch(1, std::max<std::int64_t>(S + spare, 1), 3 + S, 0, 1.0F);
      std::vector<std::int64_t> labels;
      for (std::int64_t s = 0; s < S; ++s) labels.push_back(1 + s);
      Batch with_labels(batch.options.T, batch.options.C, {labels});
      with_labels.activations = batch.activations;
      EXPECT_EQ(expect_agreement(with_labels), 0U) << S << " labels, " << spare << " frames to spare";
    }
}

/// The batch with one class more, which is impossible.
Batch with_another_class(const Batch& batch) {
  const auto C = static_cast<std::ptrdiff_t>(batch.options.C);
  Batch more = batch;
  more.options.C = C + 1;
  more.activations.clear();
  for (auto frame = batch.activations.begin(); frame != batch.activations.end(); frame += C) {
    more.activations.insert(more.activations.end(), frame, frame + C);
    more.activations.push_back(-std::numeric_limits<float>::infinity());
  }
  return more;
}

TEST(CtcLossPaths, KeepingAllOfFewClassesAgreesWithKeepingThoseThatOccur) {
  const Batch few = normal_batch(3, 60, static_cast<std::int64_t>(cpu::few_classes), 20, 2.0F);
  const auto all_kept = run_on(few, Path::scaled), some_kept = run_on(with_another_class(few), Path::scaled);
  const auto C = static_cast<std::size_t>(few.options.C);
  for (std::size_t b = 0; b < 3; ++b)
    EXPECT_NEAR(all_kept.loss[b], some_kept.loss[b], 1e-6 * std::fabs(all_kept.loss[b])) << b;
  for (std::size_t i = 0; i < all_kept.gradient.size(); ++i) {
    const double difference = std::fabs(all_kept.gradient[i] - some_kept.gradient[i / C * (C + 1) + i % C]);
    ASSERT_LE(difference, 1.2e-7) << i;
  }
}

TEST(CtcLossPaths, AClassThatDoesNotOccurMayBeAsImprobableAsItLikes) {
  Batch batch = normal_batch(1, 60, 12, 0, 1.0F);
  for (const float improbable : {-250.0F, -500.0F, -1000.0F, -std::numeric_limits<float>::infinity()}) {
    Batch with_labels(60, 12, {{1, 2, 3, 3, 2}});
    with_labels.activations = batch.activations;
    for (std::int64_t t = 0; t < 60; ++t) with_labels.at(t, 0, 11) = improbable;
    EXPECT_EQ(expect_agreement(with_labels), 0U) << improbable;
  }
}

TEST(CtcLossPaths, AgreeOnLogProbs) {
  Batch batch = normal_batch(2, 120, 20, 40, 1.0F);
  batch.options.input = CtcInput::log_probs;
  for (const CtcVariable variable : {CtcVariable::logits, CtcVariable::log_probs}) {
    batch.options.variable = variable;
    EXPECT_EQ(expect_agreement(batch), 0U);
  }
  for (float& activation : batch.activations) activation += 20.0F;  // y far above 1, p above 2^3000
  batch.options.variable = CtcVariable::log_probs;
  EXPECT_EQ(expect_agreement(batch), 0U);
}

TEST(CtcLossPaths, AgreeWhereLogitsAreFarFromZero) {
  for (const float level : {100.0F, -100.0F, 5000.0F, -300000.0F, 1e6F, -1e9F}) {
    Batch batch = normal_batch(1, 50, 12, 20, 1.0F);
    for (float& activation : batch.activations) activation = std::round(activation * 16.0F) / 16.0F + level;
    EXPECT_EQ(expect_agreement(batch), 0U) << level;
  }
}

TEST(CtcLossPaths, AgreeWhereClassesAreImpossible) {
  Batch batch = normal_batch(1, 80, 10, 20, 1.0F);
  for (std::int64_t t = 0; t < 80; ++t)
    for (std::int64_t c = 0; c < 10; ++c)
      if ((t * 7 + c * 3) % 11 == 0) batch.at(t, 0, c) = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(expect_agreement(batch), 0U);
}

// State 0 of a long and confident row falls out of a double's range, and is known not to matter: p itself is in it.
TEST(CtcLossPaths, LongConfidentRowsStayInScaledDoubles) {
  EXPECT_EQ(expect_agreement(confident_batch(1500, 40, 150, 20.0F)), 0U);
  EXPECT_EQ(expect_agreement(confident_batch(600, 1000, 100, 25.0F)), 0U);
}

TEST(CtcLossPaths, TheRowsOfTheDesignThatUnderflowTakeExtendedRange) {
  EXPECT_EQ(expect_agreement(normal_batch(1, 2000, 64, 400, 50.0F)), 1U);
  EXPECT_EQ(expect_agreement(normal_batch(1, 2000, 64, 200, 50.0F)), 1U);
  expect_agreement(normal_batch(1, 2000, 64, 400, 1.0F));
  expect_agreement(normal_batch(1, 2000, 64, 400, 10.0F));
  expect_agreement(normal_batch(1, 150, 28, 75, 50.0F));
}

/// 400 frames, 100 labels; a label costs `early` nats in the first half and `late` in the second, a blank nothing.
Batch two_halves(float early, float late) {
  std::vector<std::int64_t> labels(100);
  for (std::size_t s = 0; s < labels.size(); ++s) labels[s] = 1 + static_cast<std::int64_t>(s % 2);
  Batch batch(400, 3, {labels});
  batch.options.input = CtcInput::log_probs;
  for (std::int64_t t = 0; t < 400; ++t)
    for (const std::int64_t c : {1, 2}) batch.at(t, 0, c) = t < 200 ? -early : -late;
  return batch;
}

// Forward, waiting in state 0 costs nothing and the alignments that count are 2^-2885 of that when frame 200 comes.
TEST(CtcLossPaths, AnAlignmentThatUnderflowsAndYetDecidesTakesExtendedRange) {
  const Batch batch = two_halves(20.0F, 40.0F);
  EXPECT_EQ(expect_agreement(batch), 1U);
  EXPECT_NEAR(run(batch).loss[0], 2000.0, 300.0);
  EXPECT_EQ(run_loss(batch), run(batch).loss);
}

// Nothing underflows forward. Backward, staying in the last label costs nothing, and the states that alignments are in
// when labels become possible, at frame 200, are 2^-2885 of that.
TEST(CtcLossPaths, AnAlignmentThatUnderflowsBackwardTakesExtendedRange) {
  std::vector<std::int64_t> labels(100, 3);
  for (std::size_t s = 0; s < 99; ++s) labels[s] = 1 + static_cast<std::int64_t>(s % 2);
  Batch batch(305, 4, {labels});
  batch.options.input = CtcInput::log_probs;
  for (std::int64_t t = 0; t < 305; ++t) {
    batch.at(t, 0, 0) = t < 200 ? 0.0F : -21.0F;
    for (const std::int64_t c : {1, 2, 3})
      batch.at(t, 0, c) = t < 200 ? -std::numeric_limits<float>::infinity() : c == 3 ? 0.0F : -20.0F;
  }
  EXPECT_EQ(expect_agreement(batch), 1U);
}

TEST(CtcLossPaths, AgreeAsTheDirectionsDisagreeMoreAndMore) {
  for (const bool mirrored : {false, true}) {
    std::size_t extended = 0;
    for (float cost = 0.5F; cost <= 12.5F; cost += 0.5F)
      extended += expect_agreement(mirrored ? two_halves(2 * cost, cost) : two_halves(cost, 2 * cost));
    EXPECT_TRUE(extended > 0 && extended < 25) << extended;
  }
}

TEST(CtcLossPaths, AnEmissionOutsideDoublesTakesExtendedRange) {
  Batch batch = normal_batch(3, 30, 8, 10, 1.0F);
  batch.at(7, 1, batch.targets[12]) = -250.0F;
  EXPECT_EQ(expect_agreement(batch), 1U);
  batch.at(7, 1, batch.targets[12]) = -1e4F;
  EXPECT_EQ(expect_agreement(batch), 1U);
  batch.options.input = CtcInput::log_probs;
  batch.at(3, 2, 0) = 80.0F;
  EXPECT_EQ(expect_agreement(batch), 2U);
}

// A label that may not be skipped to is far more probable than the blank through which the alignments go.
TEST(CtcLossPaths, ARepeatedLabelIsReachedThroughAnImprobableBlank) {
  Batch batch(4, 3, {{1, 1}});
  batch.options.input = CtcInput::log_probs;
  for (std::int64_t t = 0; t < 4; ++t) batch.at(t, 0, 0) = -1000.0F;
  EXPECT_EQ(expect_agreement(batch), 1U);
  EXPECT_EQ(run(batch).loss[0], static_cast<float>(1000.0 - std::log(2.0)));
}

TEST(CtcLossPaths, ActivationsTooSmallForTheLanesKeepTheirDigits) {
  Batch batch(2, 2, {{1}});
  batch.options.input = CtcInput::log_probs;
  batch.activations = {-1e7F, -3e6F, -1e7F, -3e6F};
  EXPECT_EQ(run_on(batch, Path::extended).loss[0], 6e6F);
}

TEST(CtcLossPaths, ARowThatTakesExtendedRangeLeavesTheOthers) {
  Batch batch = normal_batch(4, 60, 9, 20, 1.0F);
  const auto before = run_on(batch, Path::scaled);
  for (std::int64_t t = 0; t < 60; ++t) batch.at(t, 2, 0) = -300.0F;
  const auto after = run_on(batch, Path::scaled);
  EXPECT_EQ(before.extended_rows, 0U);
  EXPECT_EQ(after.extended_rows, 1U);
  for (const std::size_t b : {0U, 1U, 3U}) EXPECT_EQ(before.loss[b], after.loss[b]);
}

}  // namespace
}  // namespace assay::metal
