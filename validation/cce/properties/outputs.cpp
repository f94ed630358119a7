// What is asked for does not change what it is: each output alone is the one that comes with all the others.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

Finding check(const CceContext& context, const CceCase& c) {
  const CceRun all = run_valid(context.kernel, c);
  CceRunComparison comparison(c, context.kernel.info());
  for (const CceRunOptions& options :
       {CceRunOptions{.dhidden = false, .dweight = false, .dbias = false},
        CceRunOptions{.dweight = false, .dbias = false}, CceRunOptions{.dhidden = false, .dbias = false},
        CceRunOptions{.dhidden = false, .dweight = false}})
    comparison.all(run_valid(context.kernel, c, options), all);
  return comparison.finding();
}

}  // namespace

CceProperty outputs() {
  return {"outputs", "each gradient alone is the one among all", {}, check};
}

}  // namespace assay::validation::cce
