// Losses in float32, with an lse that is stored in float32 as a flash kernel does; the gradient is exp(x - lse) of it
// in double.
#include "tests/right_kernels/cce/tokens.h"

using namespace right;

namespace {

int run_all(const assay_cce_problem& p, const assay_cce_output& out) {
  const assay_cce_output loss_alone = {out.header, out.loss, nullptr, nullptr, nullptr, out.loss_size, 0, 0, 0};
  Tokens<float, Pairwise> losses(p, loss_alone);
  std::vector<float> lse(static_cast<std::size_t>(p.N));
  for (std::int64_t n = 0; n < p.N; ++n) {
    if (losses.ignored(n)) continue;
    LogSum<float> running;
    for (std::int64_t v = 0; v < p.V; ++v) running.add(losses.logit(n, v));
    lse[n] = running.value();
    losses.add_loss(n, lse[n], [&](std::int64_t v) { return losses.logit(n, v); });
  }
  losses.finish();
  const std::vector<float> reduced(out.loss, out.loss + out.loss_size);
  Tokens<double> tokens(p, out);
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t v = 0; v < p.V && !tokens.ignored(n); ++v)
      tokens.add_gradient(n, v, tokens.z(n, v), double{lse[n]});
  tokens.finish();
  std::copy(reduced.begin(), reduced.end(), out.loss);
  return ASSAY_OK;
}

}  // namespace

RIGHT_CCE("a stored lse, and a gradient in double", .unsupported = ASSAY_CCE_NO_CHECKS, .rounded_lse = 1);
