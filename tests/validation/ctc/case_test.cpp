// A CTC case that owns its data: labels, weights, rows, and what keeps it from being a problem.
#include "validation/ctc/case.h"
#include "tests/limits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/matchers.h"

namespace assay::validation {
namespace {

using tests::infinity;
using tests::nan;

/// T=2, B=3, C=2 with activations 0, 1, ..., 11; targets 1 1, then 0, then nothing.
CtcCase three_rows(CtcTargets layout = CtcTargets::padded) {
  CtcCase c;
  c.T = 2;
  c.B = 3;
  c.C = 2;
  for (int i = 0; i < 12; ++i) c.activations.push_back(static_cast<float>(i));
  c.input_lengths = {2, 1, 0};
  c.layout = layout;
  set_targets(c, {{1, 1}, {0}, {}});
  c.upstream = {0.5F, 2, -1};
  return c;
}

TEST(CtcCase, IndexesActivationsByFrameRowAndClass) {
  const CtcCase c = three_rows();
  EXPECT_EQ(c.activation(0, 0, 1), 1);
  EXPECT_EQ(c.activation(0, 2, 0), 4);
  EXPECT_EQ(c.activation(1, 1, 1), 9);
}

TEST(CtcCase, WritesAndReadsTargetsInEitherLayout) {
  EXPECT_THAT(three_rows().targets, ElementsAre(1, 1, 0, -1, -1, -1));
  EXPECT_THAT(three_rows(CtcTargets::concatenated).targets, ElementsAre(1, 1, 0));
  for (const auto layout : {CtcTargets::padded, CtcTargets::concatenated}) {
    const CtcCase c = three_rows(layout);
    EXPECT_EQ(c.S, 2);
    EXPECT_THAT(c.target_lengths, ElementsAre(2, 1, 0));
    EXPECT_THAT(c.labels(0), ElementsAre(1, 1));
    EXPECT_THAT(c.labels(1), ElementsAre(0));
    EXPECT_THAT(c.labels(2), IsEmpty());
  }
  CtcCase c = three_rows();
  set_targets(c, {{}, {}, {}}, 7);
  EXPECT_EQ(c.S, 0);
  EXPECT_THAT(c.targets, IsEmpty());
  set_targets(c, {{1}, {}, {0, 1}}, 7);
  EXPECT_THAT(c.targets, ElementsAre(1, 7, 7, 7, 0, 1));
}

TEST(CtcCase, WeighsRowsByUpstreamAndReduction) {
  CtcCase c = three_rows();
  EXPECT_EQ(c.row_weight(0), 0.5);
  EXPECT_EQ(c.row_weight(2), -1);
  c.upstream.clear();
  EXPECT_EQ(c.row_weight(1), 1);
  c.reduction = Reduction::sum;
  EXPECT_EQ(c.row_weight(1), 1);
  c.upstream = {3};
  EXPECT_EQ(c.row_weight(1), 3);
  c.reduction = Reduction::mean;
  EXPECT_EQ(c.row_weight(0), 3.0 / (3 * 2));
  EXPECT_EQ(c.row_weight(1), 3.0 / 3);
  EXPECT_EQ(c.row_weight(2), 3.0 / 3) << "an empty target counts as one label";
  c.upstream.clear();
  EXPECT_EQ(c.row_weight(0), 1.0 / (3 * 2));
}

TEST(CtcCase, SelectsRowsInAnyOrderAndMoreThanOnce) {
  for (const auto layout : {CtcTargets::padded, CtcTargets::concatenated}) {
    const CtcCase c = select_rows(three_rows(layout), {2, 0, 0});
    EXPECT_EQ(c.B, 3);
    EXPECT_EQ(c.T, 2);
    EXPECT_THAT(c.activations, ElementsAre(4, 5, 0, 1, 0, 1, 10, 11, 6, 7, 6, 7));
    EXPECT_THAT(c.input_lengths, ElementsAre(0, 2, 2));
    EXPECT_THAT(c.labels(0), IsEmpty());
    EXPECT_THAT(c.labels(1), ElementsAre(1, 1));
    EXPECT_THAT(c.labels(2), ElementsAre(1, 1));
    EXPECT_THAT(c.upstream, ElementsAre(-1, 0.5F, 0.5F));
  }
  const CtcCase nothing = select_rows(three_rows(), {});
  EXPECT_EQ(nothing.B, 0);
  EXPECT_THAT(nothing.activations, IsEmpty());
}

TEST(CtcCase, KeepsAScalarUpstreamWhenRowsAreSelected) {
  CtcCase c = three_rows();
  c.reduction = Reduction::sum;
  c.upstream = {3};
  EXPECT_THAT(select_rows(c, {1}).upstream, ElementsAre(3));
  c.reduction = Reduction::none;
  c.upstream.clear();
  EXPECT_THAT(select_rows(c, {1}).upstream, IsEmpty());
}

TEST(CtcCase, IsValidUntilOneOfItsPartsIsNot) {
  CtcCase c = three_rows();
  c.C = 3;
  c.blank = 2;
  c.activations.assign(18, -infinity);
  for (std::size_t i = 0; i < 18; i += 3) c.activations[i] = 0;
  EXPECT_NO_THROW(require_valid(c));
  const std::vector<std::function<void(CtcCase&)>> changes = {
      [](CtcCase& d) { d.T = 3; },
      [](CtcCase& d) { d.blank = 1; },  // a label
      [](CtcCase& d) { d.targets[2] = 3; },
      [](CtcCase& d) { d.target_lengths[0] = 3; },
      [](CtcCase& d) { d.input_lengths[1] = 3; },
      [](CtcCase& d) { d.upstream.pop_back(); },
      [](CtcCase& d) { d.activations[4] = nan; },
      [](CtcCase& d) { d.activations[0] = -infinity; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CtcCase d = c;
    changes[i](d);
    EXPECT_THROW(require_valid(d), std::invalid_argument) << "change " << i;
  }
  c.activations[15] = nan;  // frame 1 of the row without frames
  EXPECT_NO_THROW(require_valid(c)) << "past a row's length anything may stand";
}

}  // namespace
}  // namespace assay::validation
