// S is the same with and without vectors: in every bit if the kernel claims so, else within the bounds. LAPACK finds
// values alone by another algorithm than values with vectors.
#include "validation/svd/compare.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

Finding check_values_only(const SvdContext& context, const SvdCase& c) {
  const SvdKernelInfo& info = context.kernel.info();
  const SvdRun all = run_valid(context.kernel, c);
  const SvdRun alone = run_valid(context.kernel, c, {.without = {"U", "Vh"}});
  if (info.same_values) return same_bits(c, all, alone, "without vectors, S has other bits");
  Comparison comparison;
  hold_values(comparison, info, c, alone, c, all);
  return comparison.finding();
}

}  // namespace

SvdProperty values_only() {
  return {"values-only", "S alone is S with vectors, to the bit if claimed", {}, check_values_only};
}

}  // namespace assay::validation::svd
