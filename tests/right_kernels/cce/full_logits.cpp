// All logits of a token, their maximum, the sum of their exponentials: straight down, in REAL, added up as SUM does.
#include "tests/right_kernels/cce/tokens.h"

#ifndef LACKS
#define LACKS ASSAY_CCE_NO_CHECKS
#endif

using namespace right;

namespace {

int run_all(const assay_cce_problem& p, const assay_cce_output& out) {
  Tokens<REAL, SUM> tokens(p, out);
  std::vector<REAL> z(static_cast<std::size_t>(p.V)), x(z);
  for (std::int64_t n = 0; n < p.N; ++n) {
    if (tokens.ignored(n)) continue;
    for (std::int64_t v = 0; v < p.V; ++v) x[v] = tokens.x(z[v] = tokens.z(n, v));
    const REAL largest = *std::max_element(x.begin(), x.end());
    SUM<REAL> sum;
    for (const REAL value : x) sum.add(std::exp(value - largest));
    const REAL lse = largest + std::log(sum.value());
    tokens.add_loss(n, lse, [&](std::int64_t v) { return x[v]; });
    for (std::int64_t v = 0; v < p.V; ++v) tokens.add_gradient(n, v, z[v], lse);
  }
  return tokens.finish();
}

}  // namespace

RIGHT_CCE("full logits", .dtypes = DTYPES, .unsupported = LACKS, .unit_roundoff = sizeof(REAL) == 8 ? 0x1p-53 : 0,
          .longest_chain = CHAIN, .rounded_lse = 1,
          .sum_roundoff = std::is_same_v<SUM<float>, InDouble<float>> ? 0x1p-53 : 0);
