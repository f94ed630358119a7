// The error contract of a CTC problem: each kind of bad argument, with the whole message.
#include "reference/ctc/validate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/ctc/targets.h"

namespace assay::reference {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t huge = std::int64_t{1} << 62;

CtcProblem<float> shape(std::int64_t T, std::int64_t B, std::int64_t C, std::int64_t S) {
  CtcProblem<float> problem;
  problem.T = T;
  problem.B = B;
  problem.C = C;
  problem.S = S;
  return problem;
}

/// A well-posed batch that each test spoils in one place: T=4, B=2, C=3, S=2, padded with labels that must not be read.
struct Batch {
  std::vector<float> activations = std::vector<float>(4 * 2 * 3, 0.5F);
  std::vector<std::int64_t> targets = {1, 2, 2, -9};
  std::vector<std::int64_t> input_lengths = {4, 3};
  std::vector<std::int64_t> target_lengths = {2, 1};
  std::vector<float> upstream = {1.0F, -2.0F};
  CtcProblem<float> options = shape(4, 2, 3, 2);

  CtcProblem<float> problem() const {
    CtcProblem<float> problem = options;
    problem.activations = activations;
    problem.targets = targets;
    problem.input_lengths = input_lengths;
    problem.target_lengths = target_lengths;
    problem.upstream = upstream;
    return problem;
  }

  /// What is said against the batch, or "accepted".
  std::string complaint() const {
    try {
      validate(problem());
      validate_activations(problem());
    } catch (const std::invalid_argument& refusal) {
      return refusal.what();
    }
    return "accepted";
  }
};

Batch concatenated() {
  Batch batch;
  batch.options.layout = CtcTargets::concatenated;
  batch.options.S = -77;  // not read
  batch.targets = {1, 2, 2};
  return batch;
}

TEST(Validate, AcceptsAWellPosedBatchInBothLayouts) {
  EXPECT_EQ(Batch{}.complaint(), "accepted");
  EXPECT_EQ(concatenated().complaint(), "accepted");
}

TEST(Validate, AcceptsNothingAtAll) {
  const CtcProblem<float> empty = shape(0, 0, 1, 0);
  EXPECT_NO_THROW(validate(empty));
  EXPECT_NO_THROW(validate_activations(empty));
}

TEST(Validate, DoesNotReadThePaddingOfTargets) {
  Batch batch;
  for (const std::int64_t padding : {std::int64_t{0}, std::int64_t{3}, huge, -huge}) {
    batch.targets[3] = padding;
    EXPECT_EQ(batch.complaint(), "accepted");
  }
}

TEST(Validate, RefusesBadShapes) {
  Batch batch;
  batch.options.T = -1;
  EXPECT_EQ(batch.complaint(), "T = -1: expected at least 0");
  batch = {};
  batch.options.B = -2;
  EXPECT_EQ(batch.complaint(), "B = -2: expected at least 0");
  batch = {};
  batch.options.C = 0;
  EXPECT_EQ(batch.complaint(), "C = 0: expected at least 1");
  batch = {};
  batch.options.S = -3;
  EXPECT_EQ(batch.complaint(), "S = -3: expected at least 0");
}

TEST(Validate, RefusesProductsBeyond64Bits) {
  Batch batch;
  batch.options.T = huge;
  EXPECT_EQ(batch.complaint(), "T * B = 4611686018427387904 * 2: expected a product that fits in 64 bits");
  batch.options.T = huge / 2;
  EXPECT_EQ(batch.complaint(), "T * B * C = 4611686018427387904 * 3: expected a product that fits in 64 bits");
  batch = {};
  batch.options.S = huge;
  EXPECT_EQ(batch.complaint(), "B * S = 2 * 4611686018427387904: expected a product that fits in 64 bits");
  batch = concatenated();
  batch.target_lengths = {huge, huge};
  EXPECT_EQ(batch.complaint(),
            "target_lengths[b=1] = 4611686018427387904: expected a sum of target_lengths that fits in 64 bits");
}

TEST(Validate, RefusesSpansOfAnotherSize) {
  Batch batch;
  batch.activations.pop_back();
  EXPECT_EQ(batch.complaint(), "activations.size() = 23: expected T * B * C = 24");
  batch = {};
  batch.input_lengths.pop_back();
  EXPECT_EQ(batch.complaint(), "input_lengths.size() = 1: expected B = 2");
  batch = {};
  batch.target_lengths.push_back(0);
  EXPECT_EQ(batch.complaint(), "target_lengths.size() = 3: expected B = 2");
  batch = {};
  batch.targets.pop_back();
  EXPECT_EQ(batch.complaint(), "targets.size() = 3: expected B * S = 4");
  batch = concatenated();
  batch.targets.push_back(1);
  EXPECT_EQ(batch.complaint(), "targets.size() = 4: expected the sum of target_lengths = 3");
  batch = {};
  batch.upstream = {1.0F};
  EXPECT_EQ(batch.complaint(), "upstream.size() = 1: expected B for Reduction::none = 2");
  batch = {};
  batch.options.reduction = Reduction::sum;
  EXPECT_EQ(batch.complaint(), "upstream.size() = 2: expected 1 for Reduction::sum or mean = 1");
}

TEST(Validate, RefusesLengthsOutOfRange) {
  Batch batch;
  batch.input_lengths[1] = -1;
  EXPECT_EQ(batch.complaint(), "input_lengths[b=1] = -1: expected a length in [0, T=4]");
  batch.input_lengths[1] = 5;
  EXPECT_EQ(batch.complaint(), "input_lengths[b=1] = 5: expected a length in [0, T=4]");
  batch = {};
  batch.target_lengths[0] = -1;
  EXPECT_EQ(batch.complaint(), "target_lengths[b=0] = -1: expected at least 0");
  batch.target_lengths[0] = 3;
  EXPECT_EQ(batch.complaint(), "target_lengths[b=0] = 3: expected a length in [0, S=2]");
}

TEST(Validate, RefusesABlankThatIsNoClass) {
  Batch batch;
  batch.options.blank = 3;
  EXPECT_EQ(batch.complaint(), "blank = 3: expected a class in [0, C=3)");
  batch.options.blank = -1;
  EXPECT_EQ(batch.complaint(), "blank = -1: expected a class in [0, C=3)");
}

TEST(Validate, RefusesLabelsThatAreNone) {
  Batch batch;
  batch.targets[1] = 31;
  EXPECT_EQ(batch.complaint(), "targets[b=0, s=1] = 31: expected a label in [0, C=3) other than blank=0");
  batch = {};
  batch.targets[2] = 0;
  EXPECT_EQ(batch.complaint(), "targets[b=1, s=0] = 0: expected a label in [0, C=3) other than blank=0");
  batch = concatenated();
  batch.targets[2] = -1;
  EXPECT_EQ(batch.complaint(), "targets[b=1, s=0] = -1: expected a label in [0, C=3) other than blank=0");
  batch.targets[2] = 0;
  batch.options.blank = 2;
  EXPECT_EQ(batch.complaint(), "targets[b=0, s=1] = 2: expected a label in [0, C=3) other than blank=2");
}

TEST(Validate, RefusesAnUpstreamThatIsNotFinite) {
  Batch batch;
  batch.upstream[1] = nan;
  EXPECT_EQ(batch.complaint(), "upstream[1] = nan: expected a finite number");
  batch.upstream[1] = -infinity;
  EXPECT_EQ(batch.complaint(), "upstream[1] = -inf: expected a finite number");
}

TEST(ValidateWithoutActivations, LooksAtAllElse) {
  Batch batch;
  batch.activations.clear();
  EXPECT_NO_THROW(validate_without_activations(batch.problem()));
  EXPECT_THROW(validate(batch.problem()), std::invalid_argument);
  batch.targets[1] = 7;
  EXPECT_THROW(validate_without_activations(batch.problem()), std::invalid_argument);
  batch = {};
  batch.options.C = 0;
  EXPECT_THROW(validate_without_activations(batch.problem()), std::invalid_argument);
}

TEST(ValidateActivations, RefusesNanAndPlusInfinityByPosition) {
  Batch batch;
  batch.activations[(2 * 2 + 1) * 3 + 0] = nan;
  EXPECT_EQ(batch.complaint(), "activations[t=2, b=1, c=0] = nan: expected a finite number or -inf");
  batch.activations[(2 * 2 + 1) * 3 + 0] = infinity;
  EXPECT_EQ(batch.complaint(), "activations[t=2, b=1, c=0] = inf: expected a finite number or -inf");
  batch.options.input = CtcInput::log_probs;
  EXPECT_EQ(batch.complaint(), "activations[t=2, b=1, c=0] = inf: expected a finite number or -inf");
}

TEST(ValidateActivations, DoesNotReadFramesPastTheInputLength) {
  Batch batch;
  for (std::size_t c = 0; c < 3; ++c) batch.activations[(3 * 2 + 1) * 3 + c] = nan;
  EXPECT_EQ(batch.complaint(), "accepted");
}

TEST(ValidateActivations, AllowsZeroProbabilitiesButNoSoftmaxOfNothing) {
  Batch batch;
  batch.activations[6] = batch.activations[7] = -infinity;
  EXPECT_EQ(batch.complaint(), "accepted");
  batch.activations[8] = -infinity;
  EXPECT_EQ(batch.complaint(),
            "activations[t=1, b=0] = -inf for every class: expected logits with a finite one, for the softmax of such "
            "a frame is 0/0");
  batch.options.input = CtcInput::log_probs;
  EXPECT_EQ(batch.complaint(), "accepted");
}

TEST(TargetRows, AreTheLabelsOfEachRowInBothLayouts) {
  for (const Batch& batch : {Batch{}, concatenated()}) {
    const CtcProblem<float> problem = batch.problem();
    const std::vector<Targets> rows = target_rows(problem);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(std::vector<std::int64_t>(rows[0].begin(), rows[0].end()), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(std::vector<std::int64_t>(rows[1].begin(), rows[1].end()), (std::vector<std::int64_t>{2}));
  }
}

}  // namespace
}  // namespace assay::reference
