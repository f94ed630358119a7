// How large the logarithms grow, held to the definitions of alpha and beta as sums over paths of states.
#include "validation/ctc/magnitudes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/ctc/kernels.h"
#include "validation/ctc/operation.h"
#include "validation/ctc/softmax.h"

namespace assay::validation {
namespace {

using tests::doubles::infinity;

/// The lattice of one row: its states and what each costs in each frame.
struct Lattice {
  std::vector<std::int64_t> states;
  std::vector<std::vector<long double>> y;  ///< [T_b, C]
  std::int64_t blank = 0;

  Lattice(const CtcCase& c, std::int64_t b) : states{c.blank}, blank(c.blank) {
    for (const auto label : c.labels(b)) states.insert(states.end(), {label, c.blank});
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t) y.push_back(softmax(c, t, b));
  }

  std::size_t T() const { return y.size(); }
  std::size_t L() const { return states.size(); }
  double emission(std::size_t t, std::size_t s) const {
    return static_cast<double>(y[t][static_cast<std::size_t>(states[s])]);
  }
  bool leads_to(std::size_t from, std::size_t to) const {
    if (from == to || from + 1 == to) return true;
    return from + 2 == to && states[to] != blank && states[to] != states[from];
  }

  /// The sum over all paths of states that begin as they may and stand at s in frame t.
  double alpha(std::size_t t, std::size_t s) const {
    double sum = t == 0 && s < 2 ? 1 : 0;
    for (std::size_t from = 0; t > 0 && from <= s; ++from) sum += leads_to(from, s) ? alpha(t - 1, from) : 0;
    return sum * emission(t, s);
  }

  /// The sum over all paths of states that stand at s in frame t and end as they may.
  double beta(std::size_t t, std::size_t s) const {
    double sum = t + 1 == T() && s + 2 >= L() ? 1 : 0;
    for (std::size_t to = s; t + 1 < T() && to < L(); ++to) sum += leads_to(s, to) ? beta(t + 1, to) : 0;
    return sum * emission(t, s);
  }
};

void expect_magnitudes(const CtcCase& c, std::int64_t b) {
  const Lattice lattice(c, b);
  const LogMagnitudes found = log_magnitudes(c, b);
  ASSERT_EQ(found.alpha.size(), lattice.T());
  ASSERT_EQ(found.beta.size(), lattice.T());
  ASSERT_EQ(found.emission.size(), lattice.T());
  for (std::size_t t = 0; t < lattice.T(); ++t) {
    double emission = 0, alpha = 0, beta = 0, p = 0;
    for (std::size_t s = 0; s < lattice.L(); ++s) {
      if (lattice.alpha(t, s) == 0 || lattice.beta(t, s) == 0) continue;
      emission = std::max(emission, std::abs(std::log(lattice.emission(t, s))));
      alpha = std::max(alpha, std::abs(std::log(lattice.alpha(t, s))));
      beta = std::max(beta, std::abs(std::log(lattice.beta(t, s))));
      p += lattice.alpha(t, s) * lattice.beta(t, s) / lattice.emission(t, s);
    }
    EXPECT_NEAR(found.emission[t], emission, 1e-9);
    EXPECT_NEAR(found.alpha[t], alpha, 1e-9);
    EXPECT_NEAR(found.beta[t], beta, 1e-9);
    EXPECT_NEAR(std::exp(-found.loss), p, 1e-9);
  }
}

TEST(LogMagnitudes, AreThoseOfAHandCountedLattice) {
  const LogMagnitudes found = log_magnitudes(three_of_four_paths(), 0);
  const double ln2 = std::log(2.0);
  EXPECT_NEAR(found.loss, std::log(4.0 / 3), 1e-15);
  EXPECT_THAT(found.emission, ElementsAre(testing::DoubleEq(ln2), testing::DoubleEq(ln2)));
  EXPECT_THAT(found.alpha, ElementsAre(testing::DoubleEq(ln2), testing::DoubleEq(2 * ln2)));
  EXPECT_THAT(found.beta, ElementsAre(testing::DoubleEq(2 * ln2), testing::DoubleEq(ln2)));
}

/// Activations within +-20, so that no product of seven probabilities leaves the range of doubles.
TEST(LogMagnitudes, AreTheSumsOverPathsOfStates) {
  int judged = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Random random(seed);
    CtcCase c = CtcOperation::generate(random, 12, {.minus_infinity = 0.4, .log_probs = 0});
    for (auto& a : c.activations) a = std::isfinite(a) ? std::clamp(a, -20.0F, 20.0F) : a;
    if (seed % 3 == 0) c = to_log_probs(c);
    for (std::int64_t b = 0; b < c.B; ++b, ++judged) expect_magnitudes(c, b);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(judged, 600);
}

TEST(LogMagnitudes, OfRowsThatCannotBeAlignedAreEmptyAndTheLossInfinite) {
  const LogMagnitudes found = log_magnitudes(too_few_frames(), 0);
  EXPECT_EQ(found.loss, infinity);
  EXPECT_THAT(found.alpha, ElementsAre(0, 0));
}

TEST(LogMagnitudes, OfNoFramesAre) {
  CtcCase c = three_of_four_paths();
  c.input_lengths = {0};
  EXPECT_EQ(log_magnitudes(c, 0).loss, infinity);
  set_targets(c, {{}});
  EXPECT_EQ(log_magnitudes(c, 0).loss, 0);
  EXPECT_THAT(log_magnitudes(c, 0).alpha, IsEmpty());
}

/// Logarithms, not probabilities: a loss of 40,000 is exp(-40000), which no double holds.
TEST(LogMagnitudes, OutliveProbabilities) {
  CtcCase c = three_of_four_paths();
  c.activations = {2e4F, 0, 2e4F, 0};
  set_targets(c, {{1}});
  EXPECT_NEAR(log_magnitudes(c, 0).loss, 2e4 - std::log(2.0), 1e-8);
}

}  // namespace
}  // namespace assay::validation
