// A case of linear cross-entropy: its weights, parts of it, and what keeps it from being a problem.
#include "validation/cce/case.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/refusal.h"
#include "tests/validation/cce/kernels.h"

namespace assay::validation {
namespace {

using tests::infinity;
using tests::nan;

TEST(CceCase, HasACapWhereItBendsSomething) {
  CceCase c = two_entries();
  for (const auto& [cap, has] : {std::pair{0.0, false}, {30.0, true}, {double{infinity}, false}, {1e-9, true}}) {
    c.logit_softcap = cap;
    EXPECT_EQ(c.has_softcap(), has) << cap;
  }
}

TEST(CceCase, WeighsTokensByUpstreamAndReduction) {
  CceCase c = three_tokens();
  EXPECT_EQ(c.valid_tokens(), 2);
  EXPECT_EQ(c.token_weight(0), 1);
  EXPECT_EQ(c.token_weight(1), 0) << "ignored";
  c.upstream = {0.5F, 7, -2};
  EXPECT_EQ(c.token_weight(0), 0.5);
  EXPECT_EQ(c.token_weight(1), 0);
  EXPECT_EQ(c.token_weight(2), -2);
  c.upstream = {3};
  c.reduction = Reduction::sum;
  EXPECT_EQ(c.token_weight(2), 3);
  c.reduction = Reduction::mean;
  EXPECT_EQ(c.token_weight(2), 1.5) << "of the two that count";
  EXPECT_EQ(c.token_weight(1), 0);
  c.upstream.clear();
  EXPECT_EQ(c.token_weight(0), 0.5);
}

TEST(CceCase, SelectsTokensInAnyOrderAndMoreThanOnce) {
  CceCase c = three_tokens();
  c.upstream = {1, 2, 3};
  const CceCase d = select_tokens(c, {2, 0, 2});
  EXPECT_EQ(d.N, 3);
  EXPECT_THAT(d.hidden, ElementsAre(1, 0.25F, 0.5F, -1, 1, 0.25F));
  EXPECT_THAT(d.targets, ElementsAre(2, 3, 2));
  EXPECT_THAT(d.upstream, ElementsAre(3, 1, 3));
  EXPECT_EQ(d.weight, c.weight);
  EXPECT_EQ(d.bias, c.bias);
  const CceCase nothing = select_tokens(c, {});
  EXPECT_EQ(nothing.N, 0);
  EXPECT_THAT(nothing.hidden, IsEmpty());
  EXPECT_NO_THROW(require_valid(nothing));
}

TEST(CceCase, KeepsAScalarUpstreamWhenTokensAreSelected) {
  CceCase c = three_tokens();
  c.reduction = Reduction::sum;
  c.upstream = {3};
  EXPECT_THAT(select_tokens(c, {1}).upstream, ElementsAre(3));
}

TEST(CceCase, SelectsWordsAndRenamesTargets) {
  const CceCase c = three_tokens();
  const CceCase d = select_entries(c, {3, 2, 0});
  EXPECT_EQ(d.V, 3);
  EXPECT_THAT(d.weight, ElementsAre(2, -2, 0.25F, 1, 1, 0.5F));
  EXPECT_THAT(d.bias, ElementsAre(1, -0.5F, 0));
  EXPECT_THAT(d.targets, ElementsAre(0, -100, 1));
  EXPECT_EQ(d.ignore_index, -100);
  CceCase bare = c;
  bare.bias.clear();
  EXPECT_THAT(select_entries(bare, {2, 3}).bias, IsEmpty());
}

/// The ignore_index is 1. After entries are renamed, another entry has the index 1.
TEST(CceCase, DoesNotTakeARenamedWordForIgnored) {
  CceCase c = three_tokens();
  c.ignore_index = 1;
  c.targets = {3, 1, 2};
  const CceCase d = select_entries(c, {0, 3, 2});
  EXPECT_EQ(d.valid_tokens(), 2);
  EXPECT_FALSE(d.is_ignored(0));
  EXPECT_TRUE(d.is_ignored(1));
  EXPECT_EQ(d.targets[0], 1);
  EXPECT_EQ(d.targets[2], 2);
  EXPECT_NO_THROW(require_valid(d));
}

/// A target that was left out must not become another entry.
TEST(CceCase, IsNoProblemWithoutTheWordOfATarget) {
  EXPECT_THROW(require_valid(select_entries(three_tokens(), {0, 1, 2})), std::invalid_argument);
}

TEST(CceCase, KeepsTheFirstColumns) {
  CceCase c = three_tokens();
  c.hidden[2] = 7;
  const CceCase d = keep_columns(c, 1);
  EXPECT_EQ(d.H, 1);
  EXPECT_THAT(d.hidden, ElementsAre(0.5F, 7, 1));
  EXPECT_THAT(d.weight, ElementsAre(1, -1, 0.25F, 2));
  EXPECT_EQ(keep_columns(c, 2), c);
}

struct Invalid {
  void (*spoil)(CceCase&);
  const char* says;
};

TEST(CceCase, IsRefusedByNameWhereItIsNone) {
  const Invalid all[] = {
      {[](CceCase& c) { c.N = -1; }, "N = -1: expected at least 0"},
      {[](CceCase& c) { c.H = 0; }, "H = 0: expected at least 1"},
      {[](CceCase& c) { c.V = 0; }, "V = 0: expected at least 1"},
      {[](CceCase& c) { c.hidden.pop_back(); }, "hidden.size() = 5: expected N * H = 6"},
      {[](CceCase& c) { c.weight.push_back(1); }, "weight.size() = 9: expected V * H = 8"},
      {[](CceCase& c) { c.bias.pop_back(); }, "bias.size() = 3: expected V, or empty = 4"},
      {[](CceCase& c) { c.targets.pop_back(); }, "targets.size() = 2: expected N = 3"},
      {[](CceCase& c) { c.targets[0] = 4; }, "targets[n=0] = 4: expected an index in [0, V=4) or ignore_index=-100"},
      {[](CceCase& c) { c.upstream = {1}; }, "upstream.size() = 1: expected N for Reduction::none = 3"},
      {[](CceCase& c) { c.upstream = {1, nan, 1}; }, "upstream[1] = nan: expected a finite number"},
      {[](CceCase& c) { c.logit_softcap = -1; }, "logit_softcap = -1: expected a positive number, or 0 for none"},
      {[](CceCase& c) { c.label_smoothing = 2; }, "label_smoothing = 2: expected a number in [0, 1]"},
      {[](CceCase& c) { c.z_loss = double{infinity}; }, "z_loss = inf: expected a finite number, at least 0"},
      {[](CceCase& c) { c.hidden_at(2, 1) = infinity; }, "hidden[n=2, h=1] = inf: expected a finite number"},
      {[](CceCase& c) { c.weight_at(3, 0) = nan; }, "weight[v=3, h=0] = nan: expected a finite number"},
      {[](CceCase& c) { c.bias[2] = infinity; }, "bias[v=2] = inf: expected a finite number or -inf"},
      {[](CceCase& c) { c.bias.assign(4, -infinity); }, "bias = -inf for every entry"},
  };
  EXPECT_NO_THROW(require_valid(three_tokens())) << "NaN where a token is ignored is nobody's business";
  for (const Invalid& one : all) {
    CceCase c = three_tokens();
    one.spoil(c);
    EXPECT_THAT(refusal_of([&] { require_valid(c); }), HasSubstr(one.says));
  }
}

}  // namespace
}  // namespace assay::validation
