// The error contract of a CTC problem: each kind of bad argument, with the whole message.
#include "reference/ctc/validate.h"

#include <cstdint>
#include <limits>
#include <string>

#include "tests/reference/ctc/problems.h"
#include "tests/reference/expect.h"
#include "tests/refusal.h"

namespace assay::reference {
namespace {

using tests::Batch;

using tests::infinity;
using tests::nan;
constexpr std::int64_t huge = std::int64_t{1} << 62;

/// A well-posed batch: T=4, B=2, C=3, S=2, padded with labels that must not be read.
Batch padded() {
  Batch batch = tests::random_batch(4, 2, 3, 2);
  batch.targets = {1, 2, 2, -9};
  batch.input_lengths = {4, 3};
  batch.target_lengths = {2, 1};
  batch.upstream = {1, -2};
  return batch;
}

Batch concatenated() {
  Batch batch = padded();
  batch.shape.layout = CtcTargets::concatenated;
  batch.shape.S = -77;  // not read
  batch.targets = {1, 2, 2};
  return batch;
}

/// Expects the refusal `said`, or "accepted", of the batch after `change`.
void expect_said(const std::string& said, void (*change)(Batch&), Batch batch = padded()) {
  change(batch);
  EXPECT_EQ(refusal_of([&] {
              validate(batch.problem());
              validate_activations(batch.problem());
            }),
            said);
}

TEST(Validate, AcceptsWhatIsWellPosed) {
  expect_said("accepted", [](Batch&) {});
  expect_said("accepted", [](Batch&) {}, concatenated());
  expect_said("accepted", [](Batch&) {}, tests::random_batch(0, 0, 1, 0));
}

TEST(Validate, DoesNotReadThePaddingOfTargets) {
  expect_said("accepted", [](Batch& x) { x.targets[3] = 0; });
  expect_said("accepted", [](Batch& x) { x.targets[3] = 3; });
  expect_said("accepted", [](Batch& x) { x.targets[3] = huge; });
  expect_said("accepted", [](Batch& x) { x.targets[3] = -huge; });
}

TEST(Validate, RefusesBadShapes) {
  expect_said("T = -1: expected at least 0", [](Batch& x) { x.shape.T = -1; });
  expect_said("B = -2: expected at least 0", [](Batch& x) { x.shape.B = -2; });
  expect_said("C = 0: expected at least 1", [](Batch& x) { x.shape.C = 0; });
  expect_said("S = -3: expected at least 0", [](Batch& x) { x.shape.S = -3; });
}

TEST(Validate, RefusesProductsBeyond64Bits) {
  expect_said("T * B = 4611686018427387904 * 2: expected a product that fits in 64 bits",
              [](Batch& x) { x.shape.T = huge; });
  expect_said("T * B * C = 4611686018427387904 * 3: expected a product that fits in 64 bits",
              [](Batch& x) { x.shape.T = huge / 2; });
  expect_said("B * S = 2 * 4611686018427387904: expected a product that fits in 64 bits",
              [](Batch& x) { x.shape.S = huge; });
  expect_said(
      "target_lengths[b=1] = 4611686018427387904: expected a sum of target_lengths that fits in 64 bits",
      [](Batch& x) { x.target_lengths = {huge, huge}; }, concatenated());
}

TEST(Validate, RefusesSpansOfAnotherSize) {
  expect_said("activations.size() = 23: expected T * B * C = 24", [](Batch& x) { x.activations.pop_back(); });
  expect_said("input_lengths.size() = 1: expected B = 2", [](Batch& x) { x.input_lengths.pop_back(); });
  expect_said("target_lengths.size() = 3: expected B = 2", [](Batch& x) { x.target_lengths.push_back(0); });
  expect_said("targets.size() = 3: expected B * S = 4", [](Batch& x) { x.targets.pop_back(); });
  expect_said(
      "targets.size() = 4: expected the sum of target_lengths = 3", [](Batch& x) { x.targets.push_back(1); },
      concatenated());
  expect_said("upstream.size() = 1: expected B for Reduction::none = 2", [](Batch& x) { x.upstream = {1}; });
  expect_said("upstream.size() = 2: expected 1 for Reduction::sum or mean = 1",
              [](Batch& x) { x.shape.reduction = Reduction::sum; });
}

TEST(Validate, RefusesLengthsOutOfRange) {
  expect_said("input_lengths[b=1] = -1: expected a length in [0, T=4]", [](Batch& x) { x.input_lengths[1] = -1; });
  expect_said("input_lengths[b=1] = 5: expected a length in [0, T=4]", [](Batch& x) { x.input_lengths[1] = 5; });
  expect_said("target_lengths[b=0] = -1: expected at least 0", [](Batch& x) { x.target_lengths[0] = -1; });
  expect_said("target_lengths[b=0] = 3: expected a length in [0, S=2]", [](Batch& x) { x.target_lengths[0] = 3; });
}

TEST(Validate, RefusesABlankThatIsNoClass) {
  expect_said("blank = 3: expected a class in [0, C=3)", [](Batch& x) { x.shape.blank = 3; });
  expect_said("blank = -1: expected a class in [0, C=3)", [](Batch& x) { x.shape.blank = -1; });
}

TEST(Validate, RefusesLabelsThatAreNone) {
  expect_said("targets[b=0, s=1] = 31: expected a label in [0, C=3) other than blank=0",
              [](Batch& x) { x.targets[1] = 31; });
  expect_said("targets[b=1, s=0] = 0: expected a label in [0, C=3) other than blank=0",
              [](Batch& x) { x.targets[2] = 0; });
  expect_said(
      "targets[b=1, s=0] = -1: expected a label in [0, C=3) other than blank=0", [](Batch& x) { x.targets[2] = -1; },
      concatenated());
  expect_said(
      "targets[b=0, s=1] = 2: expected a label in [0, C=3) other than blank=2",
      [](Batch& x) { x.targets[2] = 0, x.shape.blank = 2; }, concatenated());
}

TEST(Validate, RefusesAnUpstreamThatIsNotFinite) {
  expect_said("upstream[1] = nan: expected a finite number", [](Batch& x) { x.upstream[1] = nan; });
  expect_said("upstream[1] = -inf: expected a finite number", [](Batch& x) { x.upstream[1] = -infinity; });
}

TEST(ValidateWithoutActivations, LooksAtAllElse) {
  Batch batch = padded();
  batch.activations.clear();
  EXPECT_NO_THROW(validate_without_activations(batch.problem()));
  EXPECT_THROW(validate(batch.problem()), std::invalid_argument);
  batch.targets[1] = 7;
  EXPECT_THROW(validate_without_activations(batch.problem()), std::invalid_argument);
  batch = padded();
  batch.shape.C = 0;
  EXPECT_THROW(validate_without_activations(batch.problem()), std::invalid_argument);
}

TEST(ValidateActivations, RefusesNanAndPlusInfinityByPosition) {
  expect_said("activations[t=2, b=1, c=0] = nan: expected a finite number or -inf",
              [](Batch& x) { x.activations[(2 * 2 + 1) * 3] = nan; });
  expect_said("activations[t=2, b=1, c=0] = inf: expected a finite number or -inf",
              [](Batch& x) { x.activations[(2 * 2 + 1) * 3] = infinity; });
  expect_said("activations[t=2, b=1, c=0] = inf: expected a finite number or -inf",
              [](Batch& x) { x.activations[(2 * 2 + 1) * 3] = infinity, x.shape.input = CtcInput::log_probs; });
}

TEST(ValidateActivations, DoesNotReadFramesPastTheInputLength) {
  expect_said("accepted", [](Batch& x) { x.activations[21] = x.activations[22] = x.activations[23] = nan; });
}

TEST(ValidateActivations, AllowsZeroProbabilitiesButNoSoftmaxOfNothing) {
  Batch batch = padded();
  batch.activations[6] = batch.activations[7] = -infinity;
  expect_said("accepted", [](Batch&) {}, batch);
  batch.activations[8] = -infinity;
  expect_said(
      "activations[t=1, b=0] = -inf for every class: expected logits with a finite one, for the softmax of such a "
      "frame is 0/0",
      [](Batch&) {}, batch);
  expect_said("accepted", [](Batch& x) { x.shape.input = CtcInput::log_probs; }, batch);
}

}  // namespace
}  // namespace assay::reference
