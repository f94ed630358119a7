// The loss is the same whether or not the gradient is wanted.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

Finding check(const CtcContext& context, const CtcCase& c) {
  const CtcRun both = run_valid(context.kernel, c);
  const CtcRun loss_alone = run_valid(context.kernel, c, {.gradient = false});
  return same_bits(c, both, loss_alone, "another loss when no gradient is asked for");
}

}  // namespace

CtcProperty loss_only() {
  return {"loss-only", "the loss without the gradient has the same bits", {}, check};
}

}  // namespace assay::validation::properties
