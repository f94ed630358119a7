// No cap, a cap of infinity and a cap far beyond all logits give the same results.
#include <limits>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

/// Below 1e-9, tanh(x) = x in double, so that a cap of 1e20 changes no logit up to 1e11.
constexpr double beyond_all = 1e20;

Finding check_softcap_off(const CceContext& context, const CceCase& given) {
  CceCase c = given;
  for (float& bias : c.bias)  // because a finite cap turns -inf into a finite logit
    if (bias == -std::numeric_limits<float>::infinity()) bias = 0;
  c.logit_softcap = 0;
  const CceRun none = run_valid(context.kernel, c);
  CceCase infinite = c;
  infinite.logit_softcap = std::numeric_limits<double>::infinity();
  Finding bits = same_bits(c, none, run_valid(context.kernel, infinite), "a cap of infinity is not as none");
  if (context.kernel.info().support.does("same_bits") && is_failure(bits.verdict)) return bits;
  CceCase large = c;
  large.logit_softcap = beyond_all;
  CceRunComparison comparison(large, c, context.kernel.info());
  comparison.all(run_valid(context.kernel, large), none);
  return comparison.finding();
}

}  // namespace

CceProperty softcap_off() {
  return {"softcap-off", "a cap beyond all logits is none", {}, check_softcap_off};
}

}  // namespace assay::validation::cce
