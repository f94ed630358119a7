// No cap, a cap of infinity and a cap beyond all logits are the same.
#include <limits>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

/// tanh is its argument to the last bit of double below 1e-9, so that a cap of 1e20 is none for logits up to 1e11.
constexpr double beyond_all = 1e20;

Finding check(const CceContext& context, const CceCase& given) {
  CceCase c = given;
  for (float& bias : c.bias)  // a finite cap makes a finite logit of -inf
    if (bias == -std::numeric_limits<float>::infinity()) bias = 0;
  c.logit_softcap = 0;
  const CceRun none = run_valid(context.kernel, c);
  CceCase infinite = c;
  infinite.logit_softcap = std::numeric_limits<double>::infinity();
  Finding bits = same_bits(c, none, run_valid(context.kernel, infinite), "a cap of infinity is not as none");
  if (is_failure(bits.verdict)) return bits;
  CceCase large = c;
  large.logit_softcap = beyond_all;
  CceRunComparison comparison(large, c, context.kernel.info());
  comparison.all(run_valid(context.kernel, large), none);
  return comparison.finding();
}

}  // namespace

CceProperty softcap_off() {
  return {"softcap-off", "a cap beyond all logits is none", {}, check};
}

}  // namespace assay::validation::cce
