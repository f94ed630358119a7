// The columns of U and the rows of Vh are orthonormal, whatever the rank. A reconstruction alone says nothing about
// it: where S is 0, any columns reconstruct (pytorch/pytorch#196112 shipped zeros there).
#include "validation/svd/compare.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

Finding check_u(const SvdContext& context, const SvdCase& c) {
  Comparison comparison;
  hold_orthonormal_u(comparison, c, run_valid(context.kernel, c), SvdBounds(c, context.kernel.info()));
  return comparison.finding();
}

Finding check_v(const SvdContext& context, const SvdCase& c) {
  Comparison comparison;
  hold_orthonormal_v(comparison, c, run_valid(context.kernel, c), SvdBounds(c, context.kernel.info()));
  return comparison.finding();
}

}  // namespace

SvdProperty orthonormal_u() {
  return {"orthonormal-u", "U^T U = I within its derived bound", {}, check_u, true};
}

SvdProperty orthonormal_v() {
  return {"orthonormal-v", "Vh Vh^T = I within its derived bound", {}, check_v, true};
}

}  // namespace assay::validation::svd
