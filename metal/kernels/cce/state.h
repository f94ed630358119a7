// The online log-sum-exp: the state after some of a token's logits, and how two such states merge.
//
// The shift is raised to the largest logit only if that exceeds it by more than 8. So sums are rarely rescaled, and the
// rounding error of a rescaling is small relative to the later terms. Sums are pairs of floats, because there are up to
// V terms.
//
// The target is kept apart from the sum. With S the sum of the others and e = exp(x_t - shift),
//
//   loss = ln(1 + S / e)              if S <= e: never negative, and accurate however small it is
//   loss = ln(S + e) + shift - x_t    otherwise
#pragma once

#include "logit.h"

namespace assay {
namespace cce {

inline State no_logits() {
  return {-INFINITY, 0.0f, 0.0f, -INFINITY, 0.0f, 0.0f};
}

inline State shifted(State state, float shift) {
  if (state.shift == shift) return state;
  const float factor = exponential_of_difference(state.shift, shift);
  state.shift = shift;
  state.sum_high *= factor;
  state.sum_low *= factor;
  return state;
}

/// The state with its shift raised, if necessary, for logits up to `largest`.
inline State raised(State state, float largest) {
  const bool is_left_behind = state.shift == -INFINITY ? largest > -INFINITY : largest - state.shift > 8.0f;
  return is_left_behind ? shifted(state, largest) : state;
}

inline void add_to_sum(thread State& state, Pair sum) {
  const Pair whole = add({state.sum_high, state.sum_low}, sum);
  state.sum_high = whole.high;
  state.sum_low = whole.low;
}

/// If either is -inf, so is the sum; the arithmetic of pairs would give NaN.
inline void add_to_total(thread State& state, Pair total) {
  if (state.total_high == -INFINITY || total.high == -INFINITY) {
    state.total_high = -INFINITY;
    return;
  }
  const Pair whole = add({state.total_high, state.total_low}, total);
  state.total_high = whole.high;
  state.total_low = whole.low;
}

inline State merged(State a, State b) {
  const float shift = max(a.shift, b.shift);
  State both = shifted(a, shift);
  const State other = shifted(b, shift);
  add_to_sum(both, {other.sum_high, other.sum_low});
  add_to_total(both, {other.total_high, other.total_low});
  both.target = max(a.target, b.target);
  return both;
}

struct LogSumAndLoss {
  LogSum lse;
  float loss;  ///< lse - x_t
};

inline LogSumAndLoss log_sum_and_loss(State state) {
  const float of_target = exponential_of_difference(state.target, state.shift);
  if (state.sum_high <= of_target) {
    const float loss = logarithm(two_sum(1.0f, state.sum_high / of_target)).high;
    const Pair lse = two_sum(state.target, loss);
    return {{lse.high, lse.low}, loss};
  }
  const Pair all = add({state.sum_high, state.sum_low}, {of_target, 0.0f});
  const Pair log_sum = logarithm(all), lse = add({state.shift, 0.0f}, log_sum);
  const float loss = state.target == -INFINITY ? INFINITY : add(two_sum(state.shift, -state.target), log_sum).high;
  return {{lse.high, lse.low}, loss};
}

/// lse minus the mean of all logits; never negative.
inline float above_mean(State state, LogSum lse, Shape shape) {
  if (state.total_high == -INFINITY) return INFINITY;
  const float V = float(shape.V), mean = state.total_high / V;
  const float rest = (fma(-mean, V, state.total_high) + state.total_low) / V;
  const float above = add({lse.high, lse.low}, {-mean, -rest}).high;
  return above < 0.0f ? 0.0f : above;
}

/// (1 - eps) (lse - x_t) + eps (lse - mean x) + zeta lse^2. No term is negative.
inline float loss_of(State state, LogSumAndLoss parts, Shape shape) {
  if (parts.loss == INFINITY) return INFINITY;
  const float smoothed =
      has_smoothing ? fma(shape.smoothing, above_mean(state, parts.lse, shape), shape.keep * parts.loss) : parts.loss;
  const float lse = parts.lse.high + shape.offset;
  return fma(shape.z_loss * lse, lse, smoothed);
}

}  // namespace cce
}  // namespace assay
