// What rounding makes of a row: ln p and posteriors held to the definitions of alpha and beta as sums over paths of
// states, and their errors to what errors of either sign in each state do.
#include "validation/ctc/row_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/ctc/labels.h"
#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/ctc/kernels.h"
#include "validation/ctc/operation.h"
#include "validation/ctc/softmax.h"

namespace assay::validation {
namespace {

using tests::doubles::infinity;

constexpr double u = 0x1p-53;

/// The row with a slot for each class, and the same error of each ln y.
RowLattice lattice_of(const CtcCase& c, std::int64_t b, double error = 0) {
  RowLattice lattice;
  lattice.states = lattice.slots = reference::expand(c.labels(b), c.blank);
  const std::int64_t T = c.input_lengths[static_cast<std::size_t>(b)];
  lattice.log_y = reference::Matrix<double>(T, c.C);
  lattice.log_y_error = reference::Matrix<double>(T, c.C, error);
  for (std::int64_t t = 0; t < T; ++t) {
    const auto log_y = log_softmax(c, t, b);
    for (std::int64_t k = 0; k < c.C; ++k)
      lattice.log_y(t, k) = static_cast<double>(log_y[static_cast<std::size_t>(k)]);
  }
  return lattice;
}

RowErrors errors_of(const CtcCase& c, std::int64_t b, double error = 0) {
  const CtcKernelInfo info = {.name = "some", .arithmetic = Arithmetic::probability, .unit_roundoff = u};
  return row_errors(lattice_of(c, b, error), info, 0);
}

/// Sums over paths, each state's probability changed by a factor.
struct Paths {
  const RowLattice& row;
  std::vector<std::vector<double>> factor;  ///< [T, L]

  explicit Paths(const RowLattice& lattice)
      : row(lattice), factor(T(), std::vector<double>(lattice.states.size(), 1.0)) {}

  std::size_t T() const { return static_cast<std::size_t>(row.log_y.rows()); }
  std::size_t L() const { return row.states.size(); }
  double emission(std::size_t t, std::size_t s) const {
    return std::exp(row.log_y(static_cast<std::int64_t>(t), row.slots[s]));
  }
  bool leads_to(std::size_t from, std::size_t to) const {
    if (from == to || from + 1 == to) return true;
    return from + 2 == to && row.states[to] != row.states[0] && row.states[to] != row.states[from];
  }

  /// The sum over all paths of states that begin as they may and stand at s in frame t.
  double alpha(std::size_t t, std::size_t s) const {
    double sum = t == 0 && s < 2 ? 1 : 0;
    for (std::size_t from = 0; t > 0 && from <= s; ++from) sum += leads_to(from, s) ? alpha(t - 1, from) : 0;
    return sum * emission(t, s) * factor[t][s];
  }

  /// The sum over all paths of states that stand at s in frame t and end as they may.
  double beta(std::size_t t, std::size_t s) const {
    double sum = t + 1 == T() && s + 2 >= L() ? 1 : 0;
    for (std::size_t to = s; t + 1 < T() && to < L(); ++to) sum += leads_to(s, to) ? beta(t + 1, to) : 0;
    return sum * emission(t, s) * factor[t][s];
  }

  double p() const {
    if (T() == 0) return L() == 1 ? 1 : 0;
    return alpha(T() - 1, L() - 1) + (L() > 1 ? alpha(T() - 1, L() - 2) : 0);
  }
};

/// [T, C] of alpha of one lattice, beta of another and p.
reference::Matrix<double> posteriors(const Paths& alpha, const Paths& beta, double p) {
  reference::Matrix<double> found(alpha.row.log_y.rows(), alpha.row.log_y.cols());
  for (std::size_t t = 0; t < alpha.T(); ++t)
    for (std::size_t s = 0; s < alpha.L(); ++s)
      if (alpha.emission(t, s) > 0)
        found(static_cast<std::int64_t>(t), alpha.row.slots[s]) +=
            alpha.alpha(t, s) * beta.beta(t, s) / (alpha.emission(t, s) * p);
  return found;
}

/// Activations within +-20, so that no product of seven probabilities leaves the range of doubles.
CtcCase some_case(std::uint64_t seed, int size) {
  Random random(seed);
  CtcCase c = CtcOperation::generate(random, size, {.minus_infinity = 0.4, .log_probs = 0});
  for (auto& a : c.activations) a = std::isfinite(a) ? std::clamp(a, -20.0F, 20.0F) : a;
  return seed % 3 == 0 ? to_log_probs(c) : c;
}

TEST(RowErrors, AreOfTheSumsOverPathsOfStates) {
  int judged = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const CtcCase c = some_case(seed, 12);
    for (std::int64_t b = 0; b < c.B; ++b, ++judged) {
      const RowLattice lattice = lattice_of(c, b);
      const Paths paths(lattice);
      const RowErrors found = errors_of(c, b);
      const double p = paths.p();
      ASSERT_NEAR(std::exp(-found.loss), p, 1e-9) << "seed " << seed;
      if (p == 0) continue;
      const auto expected = posteriors(paths, paths, p);
      for (std::int64_t t = 0; t < expected.rows(); ++t)
        for (std::int64_t k = 0; k < c.C; ++k) ASSERT_NEAR(found.posterior(t, k), expected(t, k), 1e-9);
    }
  }
  EXPECT_GT(judged, 600);
}

/// Factors of exp(-error) or exp(error).
Paths disturbed(const RowLattice& lattice, Random& random, double error) {
  Paths paths(lattice);
  const bool all = random.chance(0.3);
  for (auto& frame : paths.factor)
    for (double& factor : frame) factor = std::exp(all || random.chance(0.5) ? error : -error);
  return paths;
}

/// Errors of a tenth and of a half, of which neither the square nor the cube is small.
TEST(RowErrors, HoldWhateverTheSignsOfTheStatesErrors) {
  double closest = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const CtcCase c = some_case(seed, 12);
    Random random(seed);
    const double error = seed % 2 == 0 ? 0.1 : 0.5;
    for (std::int64_t b = 0; b < c.B; ++b) {
      const RowLattice lattice = lattice_of(c, b);
      const Paths exact(lattice);
      const RowErrors found = errors_of(c, b, error);
      if (exact.p() == 0) continue;
      const Paths alpha = disturbed(lattice, random, error), beta = disturbed(lattice, random, error);
      const double off = std::abs(std::log(alpha.p() / exact.p()));
      ASSERT_LE(off, found.log_p_error) << "seed " << seed;
      const auto expected = posteriors(exact, exact, exact.p()), got = posteriors(alpha, beta, alpha.p());
      for (std::int64_t t = 0; t < expected.rows(); ++t)
        for (std::int64_t k = 0; k < c.C; ++k) {
          // The error of the frame's emission, which a kernel divides out, is in beta here.
          const double bound = std::exp(error) * (expected(t, k) + found.posterior_error(t, k)) - expected(t, k);
          ASSERT_LE(std::abs(got(t, k) - expected(t, k)), bound + 1e-12) << "seed " << seed;
        }
      if (expected.rows() > 2) closest = std::max(closest, off / found.log_p_error);
    }
  }
  EXPECT_GT(closest, 0.99) << "or the bound would be slack";
}

TEST(RowErrors, OfRowsThatCannotBeAlignedAreZeroAndTheLossInfinite) {
  const RowErrors found = errors_of(too_few_frames(), 0);
  EXPECT_EQ(found.loss, infinity);
  EXPECT_EQ(found.log_p_error, 0);
  EXPECT_EQ(found.posterior_error(1, 1), 0);
}

TEST(RowErrors, OfNoFramesAre) {
  CtcCase c = three_of_four_paths();
  c.input_lengths = {0};
  EXPECT_EQ(errors_of(c, 0).loss, infinity);
  set_targets(c, {{}});
  EXPECT_EQ(errors_of(c, 0).loss, 0);
  EXPECT_THAT(errors_of(c, 0).frame_error, IsEmpty());
}

/// Logarithms, not probabilities: a loss of 40,000 is exp(-40000), which no double holds.
TEST(RowErrors, OutliveProbabilities) {
  CtcCase c = three_of_four_paths();
  c.activations = {2e4F, 0, 2e4F, 0};
  set_targets(c, {{1}});
  EXPECT_NEAR(errors_of(c, 0).loss, 2e4 - std::log(2.0), 1e-8);
  EXPECT_NEAR(errors_of(c, 0).posterior(0, 1), 0.5, 1e-8);
}

}  // namespace
}  // namespace assay::validation
