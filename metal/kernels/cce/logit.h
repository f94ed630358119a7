// One logit: from the product of a row of hidden and a row of weight to x, and from x to dL/dz.
//
//   z_v = hidden . weight_v + bias_v
//   x_v = cap tanh(z_v / cap), or z_v without a cap;   dx/dz = 1 - tanh^2(z_v / cap)
//
//   dL/dx_v = w (p_v (1 + 2 zeta lse) - (1 - eps) [v = t] - eps / V),   p_v = exp(x_v - lse)
//
// At the target the subtraction p_t - 1 would cancel if p_t is near 1, so exp(x_t - lse) - 1 is computed in one step.
#pragma once

#include "exponential.h"

namespace assay {
namespace cce {

constant bool has_bias [[function_constant(has_bias_constant)]];
constant bool has_softcap [[function_constant(has_softcap_constant)]];
constant bool has_smoothing [[function_constant(has_smoothing_constant)]];

/// The rows of a matrix [rows, H].
template <class D>
device D* row_of(device D* matrix, ulong row, Shape shape) {
  return matrix + row * shape.H;
}

struct Logit {
  float x;
  float slope;  ///< dx/dz
};

/// `product`: hidden . weight_v. `bias` [V] is not read without has_bias.
template <class D>
Logit logit_of(float product, device const D* bias, uint v, Shape shape) {
  const float z = has_bias ? product + (float(bias[v]) - shape.offset) : product;
  if (!has_softcap) return {z, 1.0f};
  const Hyperbolic capped = hyperbolic(z / shape.cap);
  return {shape.cap * capped.tanh, capped.slope};
}

/// dL/dx of an entry for the token's loss, before the token's weight.
inline float coefficient(float x, bool is_target, LogSum lse, Shape shape) {
  if (x == -INFINITY) return is_target ? shape.rest - 1.0f : -shape.share;
  const Pair part = two_sum(x, -lse.high), log_p = two_sum(part.high, part.low - lse.low);
  const float p = exponential(log_p), of_square = 2.0f * shape.z_loss * (lse.high + shape.offset);
  if (!is_target) return fma(p, of_square, p) - shape.share;
  return fma(p, of_square, exponential_less_one(log_p)) + shape.rest;
}

/// The inputs of all kernels.
template <class D>
struct Tables {
  device const Token* tokens;
  device const D *hidden, *weight, *bias;
  device const LogSum* lse;
};

/// dL/dz of entry v for token i. `product`: hidden . weight_v.
template <class D>
float d_logit(Tables<D> tables, uint i, uint v, float product, Shape shape) {
  const Token token = tables.tokens[i];
  const Logit logit = logit_of(product, tables.bias, v, shape);
  return coefficient(logit.x, v == token.target, tables.lse[i], shape) * (token.weight * logit.slope);
}

}  // namespace cce
}  // namespace assay
