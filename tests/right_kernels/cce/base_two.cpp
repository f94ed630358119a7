// Logits times log2 e, exponentials and logarithms of base 2, sums in eight lanes and then a tree, and the derivative
// at the target as minus the sum of the others: what a flash kernel does. No cap, smoothing or z-loss.
#include "tests/right_kernels/cce/tokens.h"

using namespace right;

namespace {

constexpr float log2e = 1.44269504F;

float in_lanes(const std::vector<float>& terms) {
  float lanes[8] = {};
  for (std::size_t i = 0; i < terms.size(); ++i) lanes[i % 8] += terms[i];
  for (const int width : {4, 2, 1})
    for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  return lanes[0];
}

int run_all(const assay_cce_problem& p, const assay_cce_output& out) {
  Tokens<float> tokens(p, out);
  for (std::int64_t n = 0; n < p.N; ++n) {
    if (tokens.ignored(n)) continue;
    std::vector<float> x, terms;
    for (std::int64_t v = 0; v < p.V; ++v) x.push_back(tokens.z(n, v) * log2e);
    const float largest = *std::max_element(x.begin(), x.end());
    for (const float value : x) terms.push_back(std::exp2(value - largest));
    const float lse = largest + std::log2(in_lanes(terms));
    tokens.add_loss(n, lse / log2e, [&](std::int64_t v) { return x[v] / log2e; });
    for (float& term : terms) term = 0;
    for (std::int64_t v = 0; v < p.V; ++v)
      if (v != p.targets[n]) terms[v] = std::exp2(x[v] - lse);
    terms[p.targets[n]] = -in_lanes(terms);
    for (std::int64_t v = 0; v < p.V; ++v) tokens.add_derivative(n, v, terms[v]);
  }
  return tokens.finish();
}

}  // namespace

RIGHT_CCE("base two, in lanes",
          .unsupported = ASSAY_CCE_NO_CHECKS | ASSAY_CCE_NO_LOGIT_SOFTCAP | ASSAY_CCE_NO_LABEL_SMOOTHING |
                         ASSAY_CCE_NO_Z_LOSS,
          .rounded_lse = 1);
