// A matrix and its transpose have the same singular values.
#include "validation/svd/compare.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

Finding check_transposition(const SvdContext& context, const SvdCase& c) {
  const SvdCase d = transposed(c);
  Comparison comparison;
  hold_values(comparison, context.kernel.info(), d, run_valid(context.kernel, d), c, run_valid(context.kernel, c));
  return comparison.finding();
}

}  // namespace

SvdProperty transposition() {
  return {"transposition", "the transpose has the same singular values", {}, check_transposition};
}

}  // namespace assay::validation::svd
