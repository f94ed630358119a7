// A softmax sums to 1, so that dL/dz of a token sums to 0 over the entries without cap and z-loss, and so does dbias:
// the loss does not change if every bias is raised by the same number.
#include <cmath>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

Finding check_word_sums(const CceContext& context, const CceCase& given) {
  if (given.bias.empty()) return Finding::skip("there is no bias, and so no dbias to sum");
  CceCase c = given;
  c.logit_softcap = 0;
  c.z_loss = 0;
  const CceRun run = run_valid(context.kernel, c);
  const CceBounds bounds(c, context.kernel.info());
  double sum = 0;
  double bound = 0;
  for (std::size_t v = 0; v < run.dbias.size(); ++v) {
    sum += double{run.dbias[v]};
    bound += bounds.dbias(v, run.dbias[v]);
  }
  Comparison comparison;
  comparison.near({"sum of dbias", 0, -1, -1, "i"}, static_cast<float>(sum), 0.0, bound + std::abs(sum) * 1e-7,
                  bounds.dbias_range(0));
  return comparison.finding();
}

}  // namespace

CceProperty word_sums() {
  return {"word-sums", "dbias sums to 0 over the entries", {.bias = 1, .softcap = 0, .z_loss = 0}, check_word_sums};
}

}  // namespace assay::validation::cce
