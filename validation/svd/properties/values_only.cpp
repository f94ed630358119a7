// Whether vectors are asked for does not change the singular values, in any bit.
#include "validation/svd/compare.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

Finding check(const SvdContext& context, const SvdCase& c) {
  SvdRun with = run_valid(context.kernel, c);
  with.U.clear();
  with.Vh.clear();
  return same_bits(c, with, run_valid(context.kernel, c, {.vectors = false}), "without vectors, S has other bits");
}

}  // namespace

SvdProperty values_only() {
  return {"values-only", "S alone has the bits of S with vectors", {}, check};
}

}  // namespace assay::validation::svd
