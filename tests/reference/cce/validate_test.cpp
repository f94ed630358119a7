// The error contract of a linear cross-entropy problem: each kind of bad argument, with the whole message.
#include "reference/cce/validate.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/reference/cce/tokens.h"
#include "tests/reference/expect.h"
#include "tests/refusal.h"

namespace assay::reference {
namespace {

using tests::Tokens;

using tests::infinity;
using tests::nan;
constexpr std::int64_t huge = std::int64_t{1} << 62;

/// Expects the refusal `said`, or "accepted", of a problem after `change`. Before, the problem is well posed: N=3, H=2,
/// V=4, the token in the middle ignored.
void expect_said(const std::string& said, void (*change)(Tokens&)) {
  Tokens tokens = tests::random_tokens(3, 2, 4);
  tokens.hidden[2] = nan, tokens.hidden[3] = infinity;
  tokens.bias = {0, -infinity, 1, 2};
  tokens.targets = {3, -100, 0};
  tokens.upstream = {1, -2, 0};
  change(tokens);
  EXPECT_EQ(refusal_of([&] {
              validate(tokens.problem());
              validate_values(tokens.problem());
            }),
            said);
}

TEST(CceValidate, AcceptsAWellPosedProblemWithAndWithoutWhatIsOptional) {
  expect_said("accepted", [](Tokens&) {});
  expect_said("accepted", [](Tokens& x) { x.bias.clear(), x.upstream.clear(); });
  expect_said("accepted", [](Tokens& x) { x.shape.logit_softcap = infinity, x.shape.label_smoothing = 1; });
  expect_said("accepted", [](Tokens& x) { x = tests::random_tokens(0, 1, 1); });
}

TEST(CceValidate, RefusesBadShapes) {
  expect_said("N = -1: expected at least 0", [](Tokens& x) { x.shape.N = -1; });
  expect_said("H = 0: expected at least 1", [](Tokens& x) { x.shape.H = 0; });
  expect_said("V = 0: expected at least 1", [](Tokens& x) { x.shape.V = 0; });
}

TEST(CceValidate, RefusesProductsBeyond64Bits) {
  expect_said("N * H = 4611686018427387904 * 2: expected a product that fits in 64 bits",
              [](Tokens& x) { x.shape.N = huge; });
  expect_said("V * H = 4611686018427387904 * 2: expected a product that fits in 64 bits",
              [](Tokens& x) { x.shape.V = huge; });
}

TEST(CceValidate, TakesMoreLogitsThan64BitsCount) {
  const float element = 0;
  CceProblem<float> problem;
  problem.N = problem.V = std::int64_t{1} << 32;
  problem.hidden = problem.weight = {&element, std::size_t{1} << 32};  // only its size is read
  EXPECT_EQ(refusal_of([&] { validate(problem); }), "targets.size() = 0: expected N = 4294967296");
}

TEST(CceValidate, RefusesSpansOfAnotherSize) {
  expect_said("hidden.size() = 5: expected N * H = 6", [](Tokens& x) { x.hidden.pop_back(); });
  expect_said("weight.size() = 9: expected V * H = 8", [](Tokens& x) { x.weight.push_back(0); });
  expect_said("bias.size() = 3: expected V, or empty = 4", [](Tokens& x) { x.bias.pop_back(); });
  expect_said("targets.size() = 2: expected N = 3", [](Tokens& x) { x.targets.pop_back(); });
  expect_said("upstream.size() = 1: expected N for Reduction::none = 3", [](Tokens& x) { x.upstream = {1}; });
  expect_said("upstream.size() = 3: expected 1 for Reduction::sum or mean = 1",
              [](Tokens& x) { x.shape.reduction = Reduction::sum; });
  expect_said("upstream.size() = 3: expected 1 for Reduction::sum or mean = 1",
              [](Tokens& x) { x.shape.reduction = Reduction::mean; });
}

TEST(CceValidate, RefusesOptionsOutOfRange) {
  expect_said("logit_softcap = -0.5: expected a positive number, or 0 for none",
              [](Tokens& x) { x.shape.logit_softcap = -0.5; });
  expect_said("logit_softcap = nan: expected a positive number, or 0 for none",
              [](Tokens& x) { x.shape.logit_softcap = nan; });
  expect_said("label_smoothing = 1.5: expected a number in [0, 1]", [](Tokens& x) { x.shape.label_smoothing = 1.5; });
  expect_said("label_smoothing = -0.25: expected a number in [0, 1]",
              [](Tokens& x) { x.shape.label_smoothing = -0.25; });
  expect_said("label_smoothing = nan: expected a number in [0, 1]", [](Tokens& x) { x.shape.label_smoothing = nan; });
  expect_said("z_loss = -1: expected a finite number, at least 0", [](Tokens& x) { x.shape.z_loss = -1; });
  expect_said("z_loss = inf: expected a finite number, at least 0", [](Tokens& x) { x.shape.z_loss = infinity; });
  expect_said("z_loss = nan: expected a finite number, at least 0", [](Tokens& x) { x.shape.z_loss = nan; });
}

TEST(CceValidate, RefusesTargetsOutsideTheVocabulary) {
  expect_said("targets[n=2] = 4: expected an index in [0, V=4) or ignore_index=-100",
              [](Tokens& x) { x.targets[2] = 4; });
  expect_said("targets[n=2] = -1: expected an index in [0, V=4) or ignore_index=-100",
              [](Tokens& x) { x.targets[2] = -1; });
  expect_said("targets[n=1] = -100: expected an index in [0, V=4) or ignore_index=3",
              [](Tokens& x) { x.shape.ignore_index = 3; });  // -100 then is an index, and outside
}

TEST(CceValidate, RefusesAnUpstreamThatIsNotFinite) {
  expect_said("upstream[1] = nan: expected a finite number", [](Tokens& x) { x.upstream[1] = NAN; });
  expect_said("upstream[1] = -inf: expected a finite number", [](Tokens& x) { x.upstream[1] = -INFINITY; });
}

TEST(CceValidateValues, RefusesElementsThatAreNotFiniteByPosition) {
  expect_said("hidden[n=2, h=1] = nan: expected a finite number", [](Tokens& x) { x.hidden[5] = nan; });
  expect_said("hidden[n=2, h=0] = inf: expected a finite number", [](Tokens& x) { x.hidden[4] = infinity; });
  expect_said("weight[v=3, h=0] = -inf: expected a finite number", [](Tokens& x) { x.weight[6] = -infinity; });
}

TEST(CceValidateValues, RefusesABiasThatLeavesNoSoftmax) {
  expect_said("bias[v=2] = inf: expected a finite number or -inf", [](Tokens& x) { x.bias[2] = infinity; });
  expect_said("bias[v=2] = nan: expected a finite number or -inf", [](Tokens& x) { x.bias[2] = nan; });
  expect_said("bias = -inf for every entry: expected a finite one, for the softmax of none is 0/0",
              [](Tokens& x) { x.bias.assign(4, -infinity); });
}

TEST(CceValidateValues, DoesNotReadTokensThatAreIgnored) {
  expect_said("hidden[n=1, h=0] = nan: expected a finite number", [](Tokens& x) { x.targets[1] = 0; });
}

}  // namespace
}  // namespace assay::reference
