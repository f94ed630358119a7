// The gradient of one token's loss, of target t, and its shares of the gradients of the arrays.
//
//   d lse/dx_v = p_v, hence
//   dL/dx_v = p_v (1 + 2 on_square lse) - on_target [v = t] - on_each
//   dL/dx_t = -rest + on_rest + 2 on_square lse p_t               the same: p_t - 1 without its cancellation
//   dL/dz_v = dL/dx_v dx_v/dz_v
//
//   z_v = sum_h hidden_h weight_vh + bias_v, hence
//   dL/dhidden_h = sum_v dL/dz_v weight_vh,   dL/dweight_vh = dL/dz_v hidden_h,   dL/dbias_v = dL/dz_v
//
// x [V], z [V], hidden [H], weight [V, H], bias [V]. Without label smoothing and z-loss every dL/dz_v has the relative
// digits of p. Sums over entries or tokens have as many digits relative to the sum of the magnitudes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/cce/loss.h"
#include "reference/cce/row.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// dL/dx [V].
template <class Number>
std::vector<Number> gradient_wrt_capped_logits(const CceRow<Number>& row, std::int64_t t,
                                               const CceTerms<Number>& terms) {
  std::vector<Number> gradient = row.p;
  gradient[static_cast<std::size_t>(t)] = terms.on_rest - row.rest;
  for (std::size_t v = 0; v < gradient.size(); ++v)
    if (v != static_cast<std::size_t>(t)) gradient[v] -= terms.on_each;
  if (NumberTraits<Number>::is_zero(terms.on_square)) return gradient;
  const Number slope = (terms.on_square + terms.on_square) * row.lse;
  for (std::size_t v = 0; v < gradient.size(); ++v) add_product(gradient[v], slope, row.p[v]);
  return gradient;
}

/// dL/dz [V]. It is finite also where the loss is not.
template <class Number>
std::vector<Number> gradient_wrt_logits(const CceRow<Number>& row, std::int64_t t, const CceTerms<Number>& terms) {
  std::vector<Number> gradient = gradient_wrt_capped_logits(row, t, terms);
  for (std::size_t v = 0; v < gradient.size(); ++v) gradient[v] *= row.derivative[v];
  return gradient;
}

/// dhidden [H] += dz weight.
template <class Number>
void add_gradient_wrt_hidden(std::span<const Number> dz, std::span<const Number> weight, std::span<Number> dhidden) {
  const std::size_t H = dhidden.size();
  for (std::size_t v = 0; v < dz.size(); ++v)
    for (std::size_t h = 0; h < H; ++h) add_product(dhidden[h], dz[v], weight[v * H + h]);
}

/// dweight [V, H] += dz hidden^T.
template <class Number>
void add_gradient_wrt_weight(std::span<const Number> dz, std::span<const Number> hidden, std::span<Number> dweight) {
  const std::size_t H = hidden.size();
  for (std::size_t v = 0; v < dz.size(); ++v)
    for (std::size_t h = 0; h < H; ++h) add_product(dweight[v * H + h], dz[v], hidden[h]);
}

/// dbias [V] += dz; nothing where dbias is empty.
template <class Number>
void add_gradient_wrt_bias(std::span<const Number> dz, std::span<Number> dbias) {
  for (std::size_t v = 0; v < dbias.size(); ++v) dbias[v] += dz[v];
}

}  // namespace assay::reference
