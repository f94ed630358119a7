// A problem with an extent of 0 is not refused, and nothing is written out of bounds.
#include "validation/svd/fields.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

Finding check_empty(const SvdContext& context, const SvdCase& c) {
  for (const SvdCase& none : {SvdCase{0, c.M, c.N, c.dtype, {}}, SvdCase{c.B, 0, c.N, c.dtype, {}},
                              SvdCase{c.B, c.M, 0, c.dtype, {}}, SvdCase{0, 0, 0, c.dtype, {}}}) {
    const SvdRun run = run_valid(context.kernel, none);
    if (!run.out_of_bounds_writes.empty()) return Finding::fail("  " + run.out_of_bounds_writes[0]);
  }
  return Finding::pass();
}

}  // namespace

SvdProperty empty() {
  return {"empty", "a batch, or a matrix, of nothing is done", {}, check_empty};
}

}  // namespace assay::validation::svd
