// The rSVD obeys its theorems: with a subspace as large as the matrix the leading triplets are exact; with a
// smaller one singular values are never too large (the singular values of Q Q^T A interlace with those of A), and the
// error of the approximation is within a bound that a random subspace misses once in 10^10 times (Halko, Martinsson and
// Tropp 2011, th. 10.8).
#include <algorithm>
#include <cmath>

#include "reference/svd/jacobi.h"
#include "reference/svd/randomized_bounds.h"
#include "validation/core/number.h"
#include "validation/svd/compare.h"
#include "validation/svd/measure.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

using reference::RandomizedSvd;

constexpr double failure_probability = 1e-10;

/// The norm of all rounding errors: of a basis, of a product with the basis, and of a small SVD.
double rounding(const SvdContext& context, const SvdCase& c, std::int64_t b, const SvdBounds& bounds) {
  const double product = static_cast<double>(c.M + c.N) * context.kernel.info().roundoff(c.dtype);
  return 3 * bounds.residual(b) + frobenius_norm(c, b, 2 * product);
}

/// ||A - U S Vh||_2 of matrix b; NaN or infinite if an element is.
double spectral_residual(const SvdCase& c, const SvdRun& run, std::int64_t b) {
  reference::Matrix<double> rest(c.M, c.N);
  for (std::int64_t i = 0; i < c.M; ++i) {
    for (std::int64_t j = 0; j < c.N; ++j) {
      long double sum = c.at(b, i, j);
      for (std::int64_t k = 0; k < run.K; ++k)
        sum -= static_cast<long double>(run.u(b, i, k)) * run.s(b, k) * run.vh(b, k, j);
      rest(i, j) = static_cast<double>(sum);
      if (!std::isfinite(rest(i, j))) return std::abs(rest(i, j));
    }
  }
  return reference::jacobi_svd(rest).S[0];
}

std::vector<double> values_of(const SvdMatrixTruth& truth) {
  std::vector<double> S;
  for (const BigFloat& sigma : truth.factors.S) S.push_back(to_double(sigma));
  return S;
}

/// Compares one run with the truth.
void hold(Comparison& comparison, const SvdContext& context, const SvdCase& c, const RandomizedSvd& randomized) {
  const SvdRun run = run_valid(context.kernel, c, {.request = {.randomized = randomized}});
  const SvdBounds bounds(c, context.kernel.info());
  const auto truth = context.truth_of(c);
  hold_orthonormal_u(comparison, c, run, bounds);
  hold_orthonormal_v(comparison, c, run, bounds);
  const bool is_whole = randomized.rank + randomized.oversampling >= c.K();
  for (std::int64_t b = 0; b < c.B; ++b) {
    const std::vector<double> S = values_of(*truth->matrices[static_cast<std::size_t>(b)]);
    const double allowed = rounding(context, c, b, bounds);
    const double range = frobenius_norm(c, b);
    const auto r = static_cast<std::size_t>(randomized.rank);
    const double next = r < S.size() ? S[r] : 0;
    const double beyond = is_whole ? 0 : reference::deviation_bound(S, randomized, failure_probability);
    for (std::size_t k = 0; k < r; ++k) {
      const auto at = static_cast<std::int64_t>(k);
      const double low = std::max(0.0, S[k] - beyond);
      const double nearest = std::clamp(run.s(b, at), low, S[k]);
      comparison.near(value_place(b, at), run.s(b, at), std::isnan(run.s(b, at)) ? S[k] : nearest, allowed, range);
    }
    const double residual = spectral_residual(c, run, b);
    comparison.near({"|A - U S Vh|", b, -1, -1, "b"}, residual, std::min(beyond + next, residual), allowed, range);
  }
}

Finding check_randomized(const SvdContext& context, const SvdCase& c) {
  if (!context.kernel.info().has_randomized) return Finding::skip("the kernel has no rSVD");
  if (c.K() < 2) return Finding::skip("one triplet is all there is");
  Comparison comparison;
  hold(comparison, context, c, {.rank = c.K() / 2, .oversampling = c.K(), .power_iterations = 1, .seed = 3});
  hold(comparison, context, c, {.rank = std::max<std::int64_t>(1, c.K() / 3), .oversampling = 6, .seed = 4});
  return comparison.finding();
}

}  // namespace

SvdProperty randomized() {
  return {"randomized",
          "the rSVD within its bound of the best there is",
          {.deficient = 0.4, .scaled = 0, .large = 0.2},
          check_randomized};
}

}  // namespace assay::validation::svd
