// U and Vh of a rank-deficient matrix are complete. The vectors v and u of zero singular values are in the null spaces:
// A v = 0 and A^T u = 0.
#include "validation/svd/compare.h"
#include "validation/svd/measure.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

Finding check_null_space(const SvdContext& context, const SvdCase& c) {
  const SvdRun run = run_valid(context.kernel, c);
  const SvdBounds bounds(c, context.kernel.info());
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t k = 0; k < run.K; ++k) {
      if (overflowed(run, b)) continue;
      const double norm = frobenius_norm(c, b);
      const double bound = bounds.residual(b) + frobenius_norm(c, b, bounds.unit_length());
      comparison.near({"|A v_k|", b, k, -1, "bk"}, image_of_v(c, run, b, k), run.s(b, k), bound, norm);
      comparison.near({"|A^T u_k|", b, k, -1, "bk"}, image_of_u(c, run, b, k), run.s(b, k), bound, norm);
    }
  }
  hold_orthonormal_u(comparison, c, run, bounds);
  hold_orthonormal_v(comparison, c, run, bounds);
  return comparison.finding();
}

}  // namespace

SvdProperty null_space() {
  return {"null-space", "what completes U and Vh spans the null space", {.deficient = 1}, check_null_space};
}

}  // namespace assay::validation::svd
