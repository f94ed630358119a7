// Tokens in chunks, whose logits are kept; each chunk adds to dweight as a whole, the last chunk first.
#include "tests/right_kernels/cce/tokens.h"

using namespace right;

namespace {

constexpr std::int64_t height = 3;

int run_all(const assay_cce_problem& p, const assay_cce_output& out) {
  Tokens<float> tokens(p, out);
  for (std::int64_t end = p.N; end > 0; end -= height) {
    const std::int64_t first = std::max<std::int64_t>(end - height, 0);
    std::vector<std::vector<float>> z(static_cast<std::size_t>(end - first));
    std::vector<float> lse;
    for (std::int64_t n = first; n < end; ++n) {
      LogSum<float> running;
      for (std::int64_t v = 0; v < p.V && !tokens.ignored(n); ++v)
        running.add(tokens.x(z[n - first].emplace_back(tokens.z(n, v))));
      lse.push_back(running.value());
      if (!tokens.ignored(n)) tokens.add_loss(n, lse.back(), [&](std::int64_t v) { return tokens.x(z[n - first][v]); });
    }
    for (std::int64_t v = 0; v < p.V; ++v)
      for (std::int64_t n = first; n < end; ++n)
        if (!tokens.ignored(n)) tokens.add_gradient(n, v, z[n - first][v], lse[n - first]);
  }
  return tokens.finish();
}

}  // namespace

RIGHT_CCE("chunks of tokens", .unsupported = ASSAY_CCE_NO_CHECKS, .rounded_lse = 1);
