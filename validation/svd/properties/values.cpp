// Singular values agree with the certified any-precision reference within derived bounds, which are relative to each
// value if the kernel claims graded accuracy.
#include <algorithm>
#include <limits>
#include <vector>

#include "validation/core/number.h"
#include "validation/svd/compare.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

/// The reference's own uncertainty, relative to the largest value.
constexpr double of_reference = 1e-40;

/// A value beyond the range of double counts as the largest double, because a run may have rounded the value so.
double in_range(const BigFloat& sigma) {
  return std::min(to_double(sigma), std::numeric_limits<double>::max());
}

/// Marks the rows and columns of matrix b whose loss a comparison of singular values within `bound` would notice:
/// without a row a, sum sigma^2 shrinks by |a|^2, so one sigma changes by |a|^2 / (2 sum sigma) or more.
void notice_terms(Comparison& comparison, const SvdCase& c, const SvdRun& run, std::int64_t b, double bound) {
  std::vector<double> rows(static_cast<std::size_t>(c.M)), columns(static_cast<std::size_t>(c.N));
  for (std::int64_t i = 0; i < c.M; ++i)
    for (std::int64_t j = 0; j < c.N; ++j) {
      const double square = c.at(b, i, j) * c.at(b, i, j);
      rows[static_cast<std::size_t>(i)] += square;
      columns[static_cast<std::size_t>(j)] += square;
    }
  double sum = 0;
  for (std::int64_t k = 0; k < run.K; ++k) sum += run.s(b, k);
  for (std::int64_t i = 0; i < c.M; ++i)
    comparison.would_notice('i', i, rows[static_cast<std::size_t>(i)] / (2 * sum), bound);
  for (std::int64_t j = 0; j < c.N; ++j)
    comparison.would_notice('j', j, columns[static_cast<std::size_t>(j)] / (2 * sum), bound);
}

Finding hold_against_truth(const SvdContext& context, const SvdCase& c, bool graded) {
  const SvdKernelInfo& kernel = context.kernel.info();
  const auto truth = context.truth_of(c);
  const SvdBounds bounds(c, kernel);
  const SvdRun run = run_valid(context.kernel, c);
  Comparison comparison(widest_share(kernel.largest_rounding(c.dtype)));
  for (std::int64_t b = 0; b < c.B; ++b) {
    const SvdMatrixTruth& one = *truth->matrices[static_cast<std::size_t>(b)];
    const double largest = one.factors.S.empty() ? 0 : in_range(one.factors.S[0]);
    notice_terms(comparison, c, run, b, 2 * bounds.value(b, largest));
    for (std::int64_t k = 0; k < run.K; ++k) {
      const double sigma = in_range(one.factors.S[static_cast<std::size_t>(k)]);
      double bound = bounds.value(b, sigma);
      if (graded && sigma >= kernel.graded_range * largest)
        bound = std::min(bound, bounds.graded(sigma, one.scaled_condition));
      hold_value(comparison, c, run, b, k, sigma, bound + of_reference * largest);
      comparison.weigh(run.s(b, k), sigma, bound, format_of(c.dtype).roundoff);
    }
  }
  return comparison.finding();
}

Finding check_values(const SvdContext& context, const SvdCase& c) {
  return hold_against_truth(context, c, false);
}

Finding check_graded(const SvdContext& context, const SvdCase& c) {
  if (!context.kernel.info().graded)
    return Finding::not_claimed("say that it keeps small singular values of graded matrices");
  return hold_against_truth(context, c, true);
}

}  // namespace

SvdProperty values() {
  return {"values", "S within its bound of the certified values", {}, check_values, true};
}

SvdProperty graded() {
  return {"graded",
          "small values of graded matrices keep their digits",
          {.deficient = 0, .graded = 0.8},
          check_graded,
          true};
}

}  // namespace assay::validation::svd
