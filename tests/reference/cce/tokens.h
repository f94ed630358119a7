// A CceProblem<double> together with the storage it looks at, and its loss as problem.h defines it, term by term.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "reference/cce/outcome.h"
#include "reference/number/big_float.h"

namespace assay::reference::tests {

struct Tokens {
  std::vector<double> hidden;
  std::vector<double> weight;
  std::vector<double> bias;
  std::vector<std::int64_t> targets;
  std::vector<float> upstream;
  CceProblem<double> shape;  // its spans are not read

  CceProblem<double> problem() const {
    CceProblem<double> view = shape;
    view.hidden = hidden;
    view.weight = weight;
    view.bias = bias;
    view.targets = targets;
    view.upstream = upstream;
    return view;
  }
};

/// Elements that float32 holds, of standard deviation `scale` (hidden) and 1 (weight); random targets, no bias.
inline Tokens random_tokens(std::int64_t N, std::int64_t H, std::int64_t V, double scale = 1, unsigned seed = 11) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 1);
  Tokens tokens;
  tokens.shape.N = N, tokens.shape.H = H, tokens.shape.V = V;
  for (std::int64_t i = 0; i < N * H; ++i) tokens.hidden.push_back(scale * static_cast<double>(normal(random)));
  for (std::int64_t i = 0; i < V * H; ++i) tokens.weight.push_back(static_cast<double>(normal(random)));
  for (std::int64_t n = 0; n < N; ++n)
    tokens.targets.push_back(static_cast<std::int64_t>(random() % static_cast<unsigned>(V)));
  return tokens;
}

/// The same with a bias of standard deviation 1.
inline Tokens random_biased_tokens(std::int64_t N, std::int64_t H, std::int64_t V, double scale = 1) {
  Tokens tokens = random_tokens(N, H, V, scale);
  std::mt19937 random(13);
  std::normal_distribution<float> normal(0, 1);
  for (std::int64_t v = 0; v < V; ++v) tokens.bias.push_back(static_cast<double>(normal(random)));
  return tokens;
}

/// hidden, weight and bias one after the other: what the loss is a function of.
inline std::vector<BigFloat> variables(const Tokens& tokens) {
  std::vector<BigFloat> theta;
  for (const std::vector<double>* array : {&tokens.hidden, &tokens.weight, &tokens.bias})
    for (const double x : *array) theta.emplace_back(x);
  return theta;
}

/// Gradients one after the other, as `variables`.
inline std::vector<BigFloat> gradients(const CceOutcome<BigFloat>& outcome) {
  std::vector<BigFloat> all = outcome.dhidden;
  all.insert(all.end(), outcome.dweight.begin(), outcome.dweight.end());
  all.insert(all.end(), outcome.dbias.begin(), outcome.dbias.end());
  return all;
}

/// x [V] of token n.
inline std::vector<BigFloat> capped_logits(const Tokens& tokens, const std::vector<BigFloat>& theta, std::int64_t n) {
  const CceProblem<double>& s = tokens.shape;
  const auto H = static_cast<std::size_t>(s.H), V = static_cast<std::size_t>(s.V);
  const std::size_t weight = tokens.hidden.size(), bias = weight + tokens.weight.size();
  const BigFloat cap(s.logit_softcap);
  std::vector<BigFloat> x;
  for (std::size_t v = 0; v < V; ++v) {
    BigFloat z = tokens.bias.empty() ? BigFloat(0) : theta[bias + v];
    for (std::size_t h = 0; h < H; ++h) z += theta[static_cast<std::size_t>(n) * H + h] * theta[weight + v * H + h];
    if (s.logit_softcap > 0 && std::isfinite(s.logit_softcap) && !(z < BigFloat(-1e300))) {
      const BigFloat power = NumberTraits<BigFloat>::exp(BigFloat(2) * z / cap);
      z = cap * (power - BigFloat(1)) / (power + BigFloat(1));
    } else if (s.logit_softcap > 0 && std::isfinite(s.logit_softcap)) {
      z = -cap;
    }
    x.push_back(z);
  }
  return x;
}

/// loss_n = lse - (1 - eps) x_t - (eps / V) sum_v x_v + zeta lse^2.
inline BigFloat defined_loss(const Tokens& tokens, const std::vector<BigFloat>& theta, std::int64_t n) {
  using Traits = NumberTraits<BigFloat>;
  const std::vector<BigFloat> x = capped_logits(tokens, theta, n);
  const BigFloat eps(tokens.shape.label_smoothing), zeta(tokens.shape.z_loss);
  BigFloat sum(0), total(0);
  for (const BigFloat& x_v : x) {
    sum += Traits::exp(x_v);
    if (tokens.shape.label_smoothing > 0) total += x_v;
  }
  const BigFloat lse = Traits::log(sum);
  return lse - (BigFloat(1) - eps) * x[static_cast<std::size_t>(tokens.targets[static_cast<std::size_t>(n)])] -
         eps / BigFloat(tokens.shape.V) * total + zeta * lse * lse;
}

/// What the gradients of an outcome are the derivatives of: the sum over tokens of w_n loss_n.
inline BigFloat defined_objective(const Tokens& tokens, const std::vector<BigFloat>& theta) {
  const CceProblem<double> problem = tokens.problem();
  BigFloat sum(0), valid(0);
  for (std::int64_t n = 0; n < problem.N; ++n) {
    if (problem.is_ignored(n)) continue;
    const std::size_t i = problem.reduction == Reduction::none ? static_cast<std::size_t>(n) : 0;
    const BigFloat upstream(tokens.upstream.empty() ? 1.0F : tokens.upstream[i]);
    sum += upstream * defined_loss(tokens, theta, n);
    valid += BigFloat(1);
  }
  return problem.reduction == Reduction::mean && valid > BigFloat(0) ? BigFloat(sum / valid) : sum;
}

}  // namespace assay::reference::tests
