// One pass over the vocabulary with a running maximum and sum (Milakov and Gimelshein 2018); the logits are computed
// again for the gradient, and none is kept.
#include "tests/right_kernels/cce/tokens.h"

using namespace right;

namespace {

int run_all(const assay_cce_problem& p, const assay_cce_output& out) {
  Tokens<float> tokens(p, out);
  for (std::int64_t n = 0; n < p.N; ++n) {
    if (tokens.ignored(n)) continue;
    LogSum<float> running;
    for (std::int64_t v = 0; v < p.V; ++v) running.add(tokens.logit(n, v));
    const float lse = running.value();
    tokens.add_loss(n, lse, [&](std::int64_t v) { return tokens.logit(n, v); });
    for (std::int64_t v = 0; v < p.V; ++v) tokens.add_gradient(n, v, tokens.z(n, v), lse);
  }
  return tokens.finish();
}

}  // namespace

RIGHT_CCE("online softmax", .unsupported = ASSAY_CCE_NO_CHECKS, .rounded_lse = 1);
