// The columns of U and the rows of Vh are orthonormal, whatever the rank. A reconstruction alone says nothing about
// it: where S is 0, any columns reconstruct (pytorch/pytorch#196112 shipped zeros there).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validation/svd/compare.h"
#include "validation/svd/measure.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

using Product = double (*)(const SvdRun&, std::int64_t, std::int64_t, std::int64_t);

/// Says whether lengths are wrong or angles: rotations with c^2 + s^2 > 1 change lengths alone.
std::string what_drifts(const SvdCase& c, const SvdRun& run, const SvdBounds& bounds, Product product) {
  double shortest = 1, longest = 1, angle = 0;
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t k = 0; k < run.K; ++k) {
      shortest = std::min(shortest, product(run, b, k, k));
      longest = std::max(longest, product(run, b, k, k));
      for (std::int64_t l = k + 1; l < run.K; ++l) angle = std::max(angle, std::abs(product(run, b, k, l)));
    }
  return fmt::format(
      "\n  squared lengths: between 1 - {:.3g} and 1 + {:.3g}, bound {:.3g}; products of two vectors: up to {:.3g}, "
      "bound {:.3g}",
      1 - shortest, longest - 1, bounds.unit_length(), angle, bounds.orthogonal());
}

Finding check_orthonormal(const SvdContext& context, const SvdCase& c, decltype(hold_orthonormal_u)& hold,
                          Product product) {
  const SvdRun run = run_valid(context.kernel, c);
  const SvdBounds bounds(c, context.kernel.info());
  Comparison comparison(widest_share(context.kernel.info().largest_rounding(c.dtype)));
  hold(comparison, c, run, bounds);
  Finding finding = comparison.finding();
  if (is_failure(finding.verdict)) finding.explanation += what_drifts(c, run, bounds, product);
  return finding;
}

Finding check_u(const SvdContext& context, const SvdCase& c) {
  return check_orthonormal(context, c, hold_orthonormal_u, u_product);
}

Finding check_v(const SvdContext& context, const SvdCase& c) {
  return check_orthonormal(context, c, hold_orthonormal_v, v_product);
}

}  // namespace

SvdProperty orthonormal_u() {
  return {"orthonormal-u", "U^T U = I within its derived bound", {}, check_u, true};
}

SvdProperty orthonormal_v() {
  return {"orthonormal-v", "Vh Vh^T = I within its derived bound", {}, check_v, true};
}

}  // namespace assay::validation::svd
