// The statement of linear cross-entropy: plain data, no computation. Reference, kernels and gate all take it.
//
//   N tokens, H hidden size, V vocabulary.
//   hidden     [N, H]   row-major; row n of a token that is ignored is never read
//   weight     [V, H]   row-major
//   bias       [V]      or empty: none. -inf takes an entry out of the vocabulary
//   targets    [N]      in [0, V), or ignore_index
//   upstream   [N] for Reduction::none, else [1]; empty means ones
//
// With t = targets[n], of each token that is not ignored:
//
//   z_v    = sum_h hidden[n, h] weight[v, h] + bias[v]                                     the logits
//   x_v    = cap tanh(z_v / cap), or z_v where there is no cap                              logit_softcap
//   lse    = ln sum_v exp x_v
//   loss_n = lse - (1 - eps) x_t - (eps / V) sum_v x_v + zeta lse^2                         label_smoothing, z_loss
#pragma once

#include <cstdint>
#include <span>

#include "reference/reduction.h"

namespace assay::reference {

/// A view of one batch of tokens; the caller owns what the spans point at.
template <class Real>
struct CceProblem {
  std::int64_t N = 0;
  std::int64_t H = 1;
  std::int64_t V = 1;
  std::span<const Real> hidden;
  std::span<const Real> weight;
  std::span<const Real> bias;
  std::span<const std::int64_t> targets;
  std::span<const float> upstream;
  std::int64_t ignore_index = -100;  ///< a token with this target has loss 0 and gradient 0
  double logit_softcap = 0;          ///< cap; 0 or +inf: none
  double label_smoothing = 0;        ///< eps in [0, 1]
  double z_loss = 0;                 ///< zeta >= 0
  Reduction reduction = Reduction::none;

  bool is_ignored(std::int64_t n) const { return targets[static_cast<std::size_t>(n)] == ignore_index; }
};

}  // namespace assay::reference
