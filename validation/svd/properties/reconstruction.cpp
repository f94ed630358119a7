// U diag(S) Vh is the matrix.
#include "validation/svd/compare.h"
#include "validation/svd/measure.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

Finding check_reconstruction(const SvdContext& context, const SvdCase& c) {
  const SvdRun run = run_valid(context.kernel, c);
  const SvdBounds bounds(c, context.kernel.info());
  Comparison comparison(widest_share(context.kernel.info().largest_rounding(c.dtype)));
  for (std::int64_t b = 0; b < c.B; ++b)
    if (!overflowed(run, b))
      comparison.near({"|A - U S Vh|", b, -1, -1, "b"}, residual_norm(c, run, b), 0.0, bounds.residual(b),
                      frobenius_norm(c, b));
  return comparison.finding();
}

}  // namespace

SvdProperty reconstruction() {
  return {"reconstruction", "A = U diag(S) Vh within its derived bound", {}, check_reconstruction, true};
}

}  // namespace assay::validation::svd
