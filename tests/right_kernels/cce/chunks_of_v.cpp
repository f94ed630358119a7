// The vocabulary in chunks, for all tokens at once: first the log-sum-exps, which the chunks add to, then gradients.
#include "tests/right_kernels/cce/tokens.h"

using namespace right;

namespace {

constexpr std::int64_t width = 7;

int run_all(const assay_cce_problem& p, const assay_cce_output& out) {
  Tokens<float> tokens(p, out);
  std::vector<LogSum<float>> running(static_cast<std::size_t>(p.N));
  for (std::int64_t first = 0; first < p.V; first += width)
    for (std::int64_t n = 0; n < p.N; ++n) {
      LogSum<float> chunk;
      for (std::int64_t v = first; v < std::min(first + width, p.V) && !tokens.ignored(n); ++v)
        chunk.add(tokens.logit(n, v));
      running[n].merge(chunk);
    }
  for (std::int64_t n = 0; n < p.N; ++n)
    if (!tokens.ignored(n)) tokens.add_loss(n, running[n].value(), [&](std::int64_t v) { return tokens.logit(n, v); });
  for (std::int64_t first = 0; first < p.V; first += width)
    for (std::int64_t n = 0; n < p.N; ++n)
      for (std::int64_t v = first; v < std::min(first + width, p.V) && !tokens.ignored(n); ++v)
        tokens.add_gradient(n, v, tokens.z(n, v), running[n].value());
  return tokens.finish();
}

}  // namespace

RIGHT_CCE("chunks of the vocabulary", .unsupported = ASSAY_CCE_NO_CHECKS, .rounded_lse = 1);
