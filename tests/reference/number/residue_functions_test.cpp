#include "reference/number/residue_functions.h"

#include <gtest/gtest.h>

#include "tests/reference/number/residues.h"

namespace assay::reference {
namespace {

/// Equal in every chain that decides, and decided by one of them at least: where a sign is lost, the next may know it.
template <class Claim>
void expect_same_in_some_chain(const Claim& claim) {
  int equal = 0;
  for (chain_in_use = 0; chain_in_use < chains.size(); ++chain_in_use) {
    const Comparison found = claim();
    EXPECT_NE(found, Comparison::different) << chain_in_use;
    equal += static_cast<int>(found == Comparison::equal || found == Comparison::but_sign);
  }
  chain_in_use = 0;
  EXPECT_GT(equal, 0);
}

TEST(ResidueFunctions, ExponentialsTakeSumsToProducts) {
  const Numbers xs = drawn(4);
  EXPECT_EQ(exp(xs[0] + xs[1]), exp(xs[0]) * exp(xs[1]));
  EXPECT_EQ(exp(exp(xs[0]) + exp(xs[1])), exp(exp(xs[0])) * exp(exp(xs[1])));
  EXPECT_SAME(exp(-xs[0]), whole(1) / exp(xs[0]));
  EXPECT_SAME(exp2(xs[0] * symbol_log2e()), exp(xs[0]));
  EXPECT_SAME(exp2(whole(-11)), Residue::of(0x1p-11));
  EXPECT_SAME(exp(whole(5) * symbol_ln2()), whole(32));
  EXPECT_OTHER(exp(xs[0]), exp(xs[1]));
  EXPECT_OTHER(exp(xs[0]), exp2(xs[0]));
}

TEST(ResidueFunctions, LogSumExpIsTheSameWhateverIsSubtracted) {
  const Numbers xs = drawn(1000);
  const Residue formula = log(sum(each(xs, [](auto x) { return exp(x); })));
  for (const std::size_t m : {std::size_t{0}, std::size_t{17}}) {
    const auto shifted = [&](auto x) { return exp(x - xs[m]); };
    EXPECT_SAME(xs[m] + log(sum(each(xs, shifted))), formula);
    EXPECT_OTHER(log(sum(each(xs, shifted))), formula);
    EXPECT_OTHER(xs[m] + log(sum(each(xs, shifted)) - shifted(xs[5])), formula);
  }
  Residue running = Residue::infinity(false);
  for (const Residue& x : xs) running = logaddexp(running, x);
  EXPECT_SAME(running, formula);
  EXPECT_SAME(exp(formula - xs[3]), exp(formula) / exp(xs[3]));
  EXPECT_SAME(formula - formula, whole(0));
  EXPECT_SAME(formula * whole(3), formula + formula + formula);
  const Residue by_twos = log2(sum(each(xs, [](auto x) { return exp2(x * symbol_log2e()); }))) * symbol_ln2();
  EXPECT_EQ(compare(by_twos, magnitudes(formula)), Comparison::but_sign);
}

TEST(ResidueFunctions, SoftmaxIsTheSameShiftedOnlineAndInLogarithms) {
  const Numbers xs = drawn(100);
  const Residue formula = exp(xs[2]) / sum(each(xs, [](auto x) { return exp(x); }));
  EXPECT_SAME(exp(xs[2] - xs[7]) / sum(each(xs, [&](auto x) { return exp(x - xs[7]); })), formula);
  EXPECT_SAME(exp(xs[2] - log(sum(each(xs, [](auto x) { return exp(x); })))), formula);
  Residue m = Residue::infinity(false), total = whole(0);
  for (const Residue& x : xs) {
    total = total * exp(m - x) + exp(x - x);
    m = x;
  }
  EXPECT_SAME(exp(xs[2] - m) / total, formula);
  EXPECT_OTHER(exp(xs[2] - m) / (total - exp(xs[9] - m)), formula);
}

TEST(ResidueFunctions, RootsAndPowersAreMultiplicative) {
  const Numbers xs = drawn(2);
  EXPECT_EQ(sqrt(xs[0] * xs[1]).part, (sqrt(xs[0]) * sqrt(xs[1])).part);
  EXPECT_EQ(rsqrt(xs[0]).part, (whole(1) / sqrt(xs[0])).part);
  EXPECT_EQ(pow(xs[0], Residue::of(0.5)).part[0], sqrt(xs[0]).part[0]);
  EXPECT_EQ((pow(xs[0], Residue::of(0.25)) * pow(xs[0], Residue::of(0.75))).part[0], magnitudes(xs[0]).part[0]);
  EXPECT_EQ(pow(xs[0], whole(-3)), whole(1) / (xs[0] * xs[0] * xs[0]));
  expect_same_in_some_chain([] { return compare(sqrt(whole(6)) * sqrt(whole(6)), whole(6)); });
  expect_same_in_some_chain(
      [] { return compare(exp(Residue::of(0.5) * log(whole(21))) * sqrt(whole(21)), whole(21)); });
  for (chain_in_use = 0; chain_in_use < chains.size(); ++chain_in_use)
    EXPECT_NE(compare(sqrt(whole(6)) * sqrt(whole(7)), whole(6)), Comparison::equal);
  chain_in_use = 0;
}

TEST(ResidueFunctions, TheSignOfARootIsAChoice) {
  for (chain_in_use = 0; chain_in_use < chains.size(); ++chain_in_use) {
    const Residue one = whole(1), x = Residue::of(1.37), m = Residue::of(2.71), a = x * x + Residue::of(0.3),
                  root = sqrt(a);
    EXPECT_NE(compare(m * sqrt(a / (m * m)), root), Comparison::different);
    EXPECT_NE(compare(one + m * sqrt(a / (m * m)), one + root), Comparison::different);
    EXPECT_EQ(compare(sqrt(x * x), x), Comparison::but_sign);
    EXPECT_NE(compare(root + root, root), Comparison::equal);
    EXPECT_NE(compare(root + root, root), Comparison::but_sign);
    EXPECT_EQ((root * root).traits & Residue::any_root, 0);
    EXPECT_EQ((root + root).traits & Residue::any_root, Residue::odd_root);
    EXPECT_EQ((root + one).traits & Residue::any_root, Residue::mixed_root);
    EXPECT_EQ((root * sqrt(m)).root, Residue::several_roots);
  }
  chain_in_use = 0;
}

TEST(ResidueFunctions, SigmoidTanhSoftplusFollowTheirDefinitions) {
  const Residue x = drawn(1)[0], two = whole(2), one = whole(1);
  EXPECT_SAME(sigmoid(x), exp(x) / (one + exp(x)));
  EXPECT_SAME(tanh(x), two * sigmoid(two * x) - one);
  EXPECT_SAME(softplus(x), x + softplus(-x));
  EXPECT_SAME(exp(-softplus(-x)), sigmoid(x));
  EXPECT_SAME(expm1(x), exp(x) - one);
  EXPECT_OTHER(tanh(x), two * sigmoid(x) - one);
}

TEST(ResidueFunctions, TagsAgreeWithTheirArgumentsAndAccuseOnlyOfTheSameFunction) {
  const Numbers xs = drawn(2);
  EXPECT_SAME(erf(xs[0] + xs[1]), erf(xs[1] + xs[0]));
  EXPECT_SAME(erf(-xs[0]), -erf(xs[0]));
  EXPECT_SAME(cos(-xs[0]), cos(xs[0]));
  EXPECT_OTHER(erf(xs[0]), erf(xs[1]));
  EXPECT_OTHER(sin(xs[0]), sin(xs[1]));
  EXPECT_EQ(compare(sin(xs[0]) * sin(xs[0]), whole(1) - cos(xs[0]) * cos(xs[0])), Comparison::undecided);
  const Residue log = reference::log(xs[0]), other = reference::log(xs[1]);
  EXPECT_SAME(log * other, other * log);
  EXPECT_EQ(compare((log + other) * log, log * log + other * log), Comparison::undecided);
}

TEST(ResidueFunctions, ChainsOfExponentialsEndInATag) {
  const Residue x = drawn(1)[0];
  const Residue deep = exp(exp(exp(x)));
  EXPECT_SAME(deep, exp(exp(exp(x))));
  EXPECT_EQ(compare(deep, exp(exp(exp(x + x)))), Comparison::undecided);
}

}  // namespace
}  // namespace assay::reference
