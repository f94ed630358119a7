// The tokens that are not ignored, in order, with the values that each pass adds. Without a cap, logits x are relative
// to `offset`, the largest bias, so that a common offset of all entries costs no accuracy.
//
//   after the reference points   target_logit, target_slope, reference
//   after the exponentials       lse, loss
//   before the gradients         scale, shift, target_gradient:  dL/dz_v = (scale exp(x_v - reference) - shift) d_v
//                                for v != t, target_gradient for v = t
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "metal/cpu/cce/elements.h"
#include "reference/cce/problem.h"

namespace assay::metal::cpu {

struct CceToken {
  std::int64_t n = 0;
  std::int64_t target = 0;
  double weight = 0.0;  ///< of the token's loss in the result, times upstream
  double target_logit = 0.0;
  double target_slope = 1.0;  ///< 1 - tanh^2
  double lse = 0.0;
  double loss = 0.0;
  double others = 0.0;  ///< 1 - p_t
  double scale = 0.0;
  double shift = 0.0;
  double target_gradient = 0.0;
  float reference = 0.0F;
};

/// The options of the problem, as numbers of the types that tokens are computed in.
struct CceTerms {
  double V = 1.0;
  double eps = 0.0, zeta = 0.0;
  double cap = 0.0;  ///< 0: none
  double offset = 0.0;
};

template <class Real>
std::vector<CceToken> valid_tokens(const reference::CceProblem<Real>& problem) {
  std::vector<CceToken> tokens;
  for (std::int64_t n = 0; n < problem.N; ++n) {
    if (problem.is_ignored(n)) continue;
    CceToken token;
    token.n = n;
    token.target = problem.targets[static_cast<std::size_t>(n)];
    const bool per_token = problem.reduction == reference::Reduction::none;
    token.weight = problem.upstream.empty() ? 1.0 : problem.upstream[per_token ? static_cast<std::size_t>(n) : 0];
    tokens.push_back(token);
  }
  if (problem.reduction == reference::Reduction::mean)
    for (CceToken& token : tokens) token.weight /= static_cast<double>(tokens.size());
  return tokens;
}

/// Sets the logit x of the target, and dx/dz.
inline void cap_target(CceToken& token, double z, const CceTerms& terms) {
  token.target_logit = terms.cap == 0.0 ? z : terms.cap * std::tanh(z / terms.cap);
  const double q = std::exp(-2.0 * std::abs(z / terms.cap));
  token.target_slope = terms.cap == 0.0 ? 1.0 : 4.0 * q / ((1.0 + q) * (1.0 + q));
}

/// Sets lse and loss from the sums over all entries but the target. The sums are relative to the reference.
inline void finish_loss(CceToken& token, const CceSums& sums, const CceTerms& terms) {
  const double t = token.target_logit - token.reference;
  const double target = std::exp(t), total = sums.exponentials + target;
  const double relative = sums.exponentials < target ? t + std::log1p(sums.exponentials / target) : std::log(total);
  token.lse = token.reference + relative;
  token.others = sums.exponentials / total;
  const double base = sums.exponentials < target ? std::log1p(sums.exponentials / target) : relative - t;
  const double full = token.lse + terms.offset;
  token.loss = terms.zeta * full * full;
  if (terms.eps != 1.0) token.loss += (1.0 - terms.eps) * base;
  if (terms.eps != 0.0) token.loss += terms.eps * (relative - (sums.logits + t) / terms.V);
}

/// Sets scale, shift and target_gradient, for exponentials relative to `reference`.
inline void prepare_gradient(CceToken& token, float reference, const CceTerms& terms) {
  const double growth = 2.0 * terms.zeta * (token.lse + terms.offset);
  token.reference = reference;
  token.scale = token.weight * (1.0 + growth) * std::exp(reference - token.lse);
  token.shift = token.weight * terms.eps / terms.V;
  const double target = growth * (1.0 - token.others) - token.others + terms.eps;
  token.target_gradient = (token.weight * target - token.shift) * token.target_slope;
}

}  // namespace assay::metal::cpu
