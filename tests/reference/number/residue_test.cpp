#include "reference/number/residue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <type_traits>
#include <vector>

#include "reference/number/residue_constant.h"
#include "reference/number/residue_functions.h"

namespace assay::reference {
namespace {

using Numbers = std::vector<Residue>;

static_assert(std::is_trivially_copyable_v<Residue> && sizeof(Residue) == 32);

Residue whole(std::int64_t n) {
  return Residue::of(n);
}

Numbers drawn(std::size_t count, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Numbers numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(Residue::of(normal(random)));
  return numbers;
}

Residue sum(const Numbers& xs) {
  Residue total = whole(0);
  for (const Residue& x : xs) total += x;
  return total;
}

template <class Function>
Numbers each(const Numbers& xs, const Function& function) {
  Numbers result;
  for (const Residue& x : xs) result.push_back(function(x));
  return result;
}

#define EXPECT_SAME(a, b) EXPECT_EQ(compare(a, b), Comparison::equal)
#define EXPECT_OTHER(a, b) EXPECT_EQ(compare(a, b), Comparison::different)

/// Equal in every chain that decides, and decided by one of them at least: where a sign is lost, the next may know it.
template <class Claim>
void expect_same_in_some_chain(const Claim& claim) {
  int equal = 0;
  for (chain_in_use = 0; chain_in_use < chains.size(); ++chain_in_use) {
    const Comparison found = claim();
    EXPECT_NE(found, Comparison::different) << chain_in_use;
    equal += static_cast<int>(found == Comparison::equal);
  }
  chain_in_use = 0;
  EXPECT_GT(equal, 0);
}

bool is_prime(std::uint64_t p) {
  const Prime prime = Prime::of(p);
  for (std::uint64_t base = 2; base < 40; ++base) {  // decides below 2^64 (Sorenson 2016)
    std::uint64_t x = prime.power(prime.from_number(base), (p - 1) / 2);
    if (x != prime.one && x != prime.p - prime.one) return false;  // p = 3 mod 4: one squaring
  }
  return true;
}

TEST(PrimeChain, IsOfPrimesWhoseSquaresTwoGenerates) {
  for (const Chain& one : chains) {
    EXPECT_EQ(one.primes[0].p, 2 * one.primes[1].p + 1);
    EXPECT_EQ(one.primes[1].p, 2 * one.primes[2].p + 1);
    for (const Prime& prime : one.primes) {
      EXPECT_TRUE(is_prime(prime.p) && prime.p % 4 == 3);
      EXPECT_EQ(prime.number(prime.from_number(12345)), 12345);
    }
    EXPECT_EQ(one.primes[0].power(one.primes[0].from_number(2), one.primes[1].p), one.primes[0].one);
    EXPECT_EQ(one.primes[1].power(one.primes[1].from_number(2), one.primes[2].p), one.primes[1].one);
  }
}

TEST(Residue, IsExactOfEveryBinaryNumber) {
  for (const double x : {1.0, -3.0, 0x1p-149, 0x1.fffffep127, 5e-324, 0.1, -1e300}) {
    EXPECT_EQ(Residue::of(x) + Residue::of(x), Residue::of(x) * whole(2)) << x;
    EXPECT_EQ(Residue::of(x) - Residue::of(x), whole(0)) << x;
  }
  EXPECT_EQ(Residue::of(0.75), whole(3) / whole(4));
  EXPECT_EQ(Residue::of(-7.0), whole(-7));
  EXPECT_OTHER(Residue::of(1.0), Residue::of(1 + 0x1p-52));
}

TEST(Residue, CommutesAssociatesDistributes) {
  Numbers xs = drawn(1000);
  const Residue total = sum(xs), scaled = sum(each(xs, [](auto x) { return x * Residue::of(0.3); }));
  std::ranges::reverse(xs);
  EXPECT_EQ(sum(xs), total);
  EXPECT_EQ(total * Residue::of(0.3), scaled);
  EXPECT_SAME(xs[0] / xs[1] / xs[2], xs[0] / (xs[1] * xs[2]));
}

TEST(Residue, NoticesOneTermOfMany) {
  Numbers xs = drawn(std::size_t{1} << 17);
  const Residue total = sum(xs);
  for (const std::size_t v : {std::size_t{0}, std::size_t{65'536}, xs.size() - 1}) {
    EXPECT_OTHER(total - xs[v], total);
    EXPECT_OTHER(total + xs[v], total);
  }
  EXPECT_OTHER(total - xs[3] + xs[4], total);
  EXPECT_OTHER(total + Residue::of(5e-324), total);
}

TEST(Residue, ExponentialsTakeSumsToProducts) {
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

TEST(Residue, LogSumExpIsTheSameWhateverIsSubtracted) {
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
  EXPECT_SAME(log2(sum(each(xs, [](auto x) { return exp2(x * symbol_log2e()); }))) * symbol_ln2(), magnitudes(formula));
}

TEST(Residue, SoftmaxIsTheSameShiftedOnlineAndInLogarithms) {
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

TEST(Residue, RootsAndPowersAreMultiplicative) {
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

TEST(Residue, SigmoidTanhSoftplusFollowTheirDefinitions) {
  const Residue x = drawn(1)[0], two = whole(2), one = whole(1);
  EXPECT_SAME(sigmoid(x), exp(x) / (one + exp(x)));
  EXPECT_SAME(tanh(x), two * sigmoid(two * x) - one);
  EXPECT_SAME(softplus(x), x + softplus(-x));
  EXPECT_SAME(exp(-softplus(-x)), sigmoid(x));
  EXPECT_SAME(expm1(x), exp(x) - one);
  EXPECT_OTHER(tanh(x), two * sigmoid(x) - one);
}

TEST(Residue, TagsAgreeWithTheirArgumentsAndAccuseOnlyOfTheSameFunction) {
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

TEST(Residue, ChainsOfExponentialsEndInATag) {
  const Residue x = drawn(1)[0];
  const Residue deep = exp(exp(exp(x)));
  EXPECT_SAME(deep, exp(exp(exp(x))));
  EXPECT_EQ(compare(deep, exp(exp(exp(x + x)))), Comparison::undecided);
}

TEST(Residue, KeepsInfinitiesAndWhatIsUnknown) {
  const Residue minus = Residue::infinity(false), x = drawn(1)[0];
  EXPECT_EQ(exp(minus), whole(0));
  EXPECT_EQ(log(whole(0)), minus);
  EXPECT_SAME(minus + x, minus);
  EXPECT_OTHER(minus, -minus);
  EXPECT_OTHER(minus, x);
  EXPECT_SAME(x / minus, whole(0));
  EXPECT_EQ((minus - minus).reason, Residue::Reason::not_a_number);
  EXPECT_EQ((x / whole(0)).reason, Residue::Reason::division_by_zero);
  EXPECT_EQ(Residue::of(std::nan("")).kind, Residue::Kind::unknown);
  const Residue lost = Residue::unknown(Residue::Reason::left_the_algebra);
  for (const Residue& one : {lost + x, x * lost, x / lost, exp(lost), log(lost), sqrt(lost), -lost, sin(lost)})
    EXPECT_EQ(one.reason, Residue::Reason::left_the_algebra);
  EXPECT_EQ(compare(lost, lost), Comparison::undecided);
}

TEST(Residue, ConstantsStandForTheNumbersThatProgramsMean) {
  const Residue x = drawn(1)[0];
  EXPECT_SAME(exp2(x * residue_of_constant(1.44269504088896340736F)), exp(x));
  EXPECT_SAME(exp2(x * residue_of_constant(0x1.71547652b82fep+0)), exp(x));
  EXPECT_SAME(residue_of_constant(0.6931471805599453), residue_of_constant(0.69314718F));
  EXPECT_SAME(residue_of_constant(1e-5), residue_of_constant(1e-5F));
  EXPECT_SAME(residue_of_constant(1e-5) * whole(100'000), whole(1));
  EXPECT_SAME(residue_of_constant(-0.044715F) * whole(1'000'000), whole(-44'715));
  EXPECT_SAME(residue_of_constant(1.0 / 3) * whole(3), whole(1));
  EXPECT_SAME(residue_of_constant(1.0F / 3), residue_of_constant(1.0 / 3));
  EXPECT_EQ(residue_of_constant(1 / std::sqrt(80.0F)).part, rsqrt(whole(80)).part);
  EXPECT_EQ(residue_of_constant(std::sqrt(2 / std::numbers::pi)).part, residue_of_constant(0.7978845608F).part);
  EXPECT_EQ((residue_of_constant(std::sqrt(2 / std::numbers::pi)) * sqrt(symbol_pi())).part, sqrt(whole(2)).part);
  EXPECT_EQ(residue_of_constant(std::numbers::log2e / std::sqrt(96.0)).part, (symbol_log2e() * rsqrt(whole(96))).part);
  EXPECT_SAME(residue_of_constant(std::log(10000.0)), log(whole(10'000)));
  EXPECT_SAME(residue_of_constant(2.718281828F), exp(whole(1)));
  EXPECT_SAME(residue_of_constant(1.6732632423543772), residue_of_constant(1.6732632423543772F));
  EXPECT_OTHER(residue_of_constant(1e-5), residue_of_constant(1e-6));
  EXPECT_OTHER(residue_of_constant(1.4427F), symbol_log2e());
  EXPECT_EQ(residue_of_constant(0.8125), Residue::of(0.8125));
}

}  // namespace
}  // namespace assay::reference
