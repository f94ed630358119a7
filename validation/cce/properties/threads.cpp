// The number of threads changes nothing beyond the order of sums.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

Finding check(const CceContext& context, const CceCase& c) {
  CceRunComparison comparison(c, context.kernel.info());
  const CceRun one = run_valid(context.kernel, c, {.request = {.threads = 1}});
  for (const int threads : {2, 3, 7})
    comparison.all(run_valid(context.kernel, c, {.request = {.threads = threads}}), one);
  return comparison.finding();
}

}  // namespace

CceProperty threads() {
  return {"threads", "1, 2, 3 and 7 threads give the same results", {.many_tokens = 0.3}, check};
}

}  // namespace assay::validation::cce
