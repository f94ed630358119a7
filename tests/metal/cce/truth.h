// Linear cross-entropy by its definition, in double, one logit after the other; beside each result the sum of the
// magnitudes of what it is a sum of.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/metal/cce/case.h"

namespace assay::metal {

struct Sized {
  double value = 0.0;
  double size = 0.0;

  void add(double term, double size_of_term) { value += term, size += std::abs(size_of_term); }
};

struct CceTruth {
  std::vector<Sized> loss, dhidden, dweight, dbias;
};

/// One token's logits and what follows from them.
struct TokenTruth {
  std::vector<double> x, slope;
  double lse = 0.0, loss = 0.0, size = 0.0;  ///< size: of the terms of a logit, the largest over the entries
};

template <class Real>
TokenTruth token_truth(const CceProblem<Real>& p, std::int64_t n) {
  TokenTruth token;
  const bool capped = p.logit_softcap > 0 && std::isfinite(p.logit_softcap);
  for (std::int64_t v = 0; v < p.V; ++v) {
    double z = p.bias.empty() ? 0.0 : static_cast<double>(p.bias[static_cast<std::size_t>(v)]), size = 0.0;
    for (std::int64_t h = 0; h < p.H; ++h) {
      const double term = static_cast<double>(p.hidden[static_cast<std::size_t>(n * p.H + h)]) *
                          static_cast<double>(p.weight[static_cast<std::size_t>(v * p.H + h)]);
      z += term;
      size += std::abs(term);
    }
    token.size = std::max(token.size, size);
    token.x.push_back(capped ? p.logit_softcap * std::tanh(z / p.logit_softcap) : z);
    token.slope.push_back(capped ? 1.0 / std::pow(std::cosh(z / p.logit_softcap), 2) : 1.0);
  }
  const double most = *std::max_element(token.x.begin(), token.x.end());
  double others = 0.0, mean = 0.0;
  const auto target = static_cast<std::size_t>(p.targets[static_cast<std::size_t>(n)]);
  for (std::size_t v = 0; v < token.x.size(); ++v) {
    if (v != target) others += std::exp(token.x[v] - most);
    mean += (token.x[v] - most) / static_cast<double>(p.V);
  }
  const double at_target = std::exp(token.x[target] - most), log_total = std::log(others + at_target);
  token.lse = most + log_total;
  const double base = at_target > others ? std::log1p(others / at_target) : log_total - (token.x[target] - most);
  token.loss = p.z_loss * token.lse * token.lse;
  if (p.label_smoothing != 1) token.loss += (1 - p.label_smoothing) * base;
  if (p.label_smoothing != 0) token.loss += p.label_smoothing * (log_total - mean);
  return token;
}

template <class Real>
double weight_of_token(const CceProblem<Real>& p, std::int64_t n, std::int64_t valid) {
  const bool none = p.reduction == Reduction::none;
  const double upstream = p.upstream.empty() ? 1.0 : p.upstream[none ? static_cast<std::size_t>(n) : 0];
  return p.reduction == Reduction::mean ? upstream / static_cast<double>(valid) : upstream;
}

template <class Real>
void add_gradients(const CceProblem<Real>& p, std::int64_t n, const TokenTruth& token, double w, CceTruth& truth) {
  const auto target = static_cast<std::size_t>(p.targets[static_cast<std::size_t>(n)]);
  const double growth = 1 + 2 * p.z_loss * token.lse, V = static_cast<double>(p.V);
  for (std::size_t v = 0; v < token.x.size(); ++v) {
    const double probability = std::exp(token.x[v] - token.lse);
    const double at_target = v == target ? 1 - p.label_smoothing : 0.0;
    double g = probability * growth - at_target - p.label_smoothing / V;
    if (v == target && p.label_smoothing == 0 && p.z_loss == 0) g = std::expm1(token.x[v] - token.lse);
    g *= w * token.slope[v];
    // What an error of a logit, of the order of 1e-7 of its size, makes of this: in proportion to the probability.
    const double size =
        std::abs(w) *
        ((probability * std::abs(growth)) * (1 + token.size + std::abs(token.lse) * (p.z_loss > 0)) +
         (v == target ? 1.0 : 0.0) * (1 - probability) + p.label_smoothing / V + at_target * p.label_smoothing);
    if (!truth.dbias.empty()) truth.dbias[v].add(g, size);
    for (std::size_t h = 0; h < static_cast<std::size_t>(p.H); ++h) {
      const std::size_t i = static_cast<std::size_t>(n * p.H) + h, j = v * static_cast<std::size_t>(p.H) + h;
      truth.dhidden[i].add(g * static_cast<double>(p.weight[j]), size * static_cast<double>(p.weight[j]));
      truth.dweight[j].add(g * static_cast<double>(p.hidden[i]), size * static_cast<double>(p.hidden[i]));
    }
  }
}

template <class Real>
CceTruth truth_of(const CceProblem<Real>& p) {
  CceTruth truth;
  truth.loss.resize(static_cast<std::size_t>(p.reduction == Reduction::none ? p.N : 1));
  truth.dhidden.resize(p.hidden.size());
  truth.dweight.resize(p.weight.size());
  truth.dbias.resize(p.bias.size());
  std::int64_t valid = 0;
  for (std::int64_t n = 0; n < p.N; ++n) valid += p.is_ignored(n) ? 0 : 1;
  for (std::int64_t n = 0; n < p.N; ++n) {
    if (p.is_ignored(n)) continue;
    const TokenTruth token = token_truth(p, n);
    Sized& loss = truth.loss[p.reduction == Reduction::none ? static_cast<std::size_t>(n) : 0];
    const double share = p.reduction == Reduction::mean ? 1.0 / static_cast<double>(valid) : 1.0;
    const double size =
        -std::expm1(token.x[static_cast<std::size_t>(p.targets[static_cast<std::size_t>(n)])] - token.lse) *
        (1 + token.size);
    loss.add(share * token.loss,
             share * (token.loss + size + (p.label_smoothing + 2 * p.z_loss * std::abs(token.lse)) * (1 + token.size)));
    add_gradients(p, n, token, weight_of_token(p, n, valid), truth);
  }
  return truth;
}

/// The element that is off by the largest multiple of `relative` * size + `rounding` * |value|; NaN is off without end.
struct Worst {
  double share = 0.0;
  std::size_t index = 0;
};

template <class Real>
Worst worst_of(const std::vector<Real>& got, const std::vector<Sized>& truth, double relative, double rounding,
               double tiny = 1e-37) {
  Worst worst;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double x = static_cast<double>(got[i]), expected = truth[i].value;
    const double bound = relative * truth[i].size + rounding * std::abs(expected) + tiny;
    const double share = x == expected ? 0.0 : std::abs(x - expected) / bound;
    if (!(share <= worst.share)) worst = {std::isnan(share) ? std::numeric_limits<double>::infinity() : share, i};
  }
  return worst;
}

template <class Real>
void expect_close(const char* what, const std::vector<Real>& got, const std::vector<Sized>& truth, double relative,
                  double rounding, double tiny = 1e-37) {
  ASSERT_EQ(got.size(), truth.size()) << what;
  const Worst worst = worst_of(got, truth, relative, rounding, tiny);
  if (!(worst.share <= 1.0))
    ADD_FAILURE() << what << "[" << worst.index << "] = " << static_cast<double>(got[worst.index]) << ", expected "
                  << truth[worst.index].value << ", off by " << worst.share << " bounds";
}

/// Half a unit in the last place of what is stored, and what terms are rounded to on the way.
template <class Real>
constexpr double rounding_of_stored = std::is_same_v<Real, float>  ? 0x1p-23
                                      : std::is_same_v<Real, Half> ? 0x1p-10
                                                                   : 0x1p-7;
template <class Real>
constexpr double rounding_of_terms = std::is_same_v<Real, BFloat16> ? 0x1p-8 : 0x1p-20;
template <class Real>
constexpr double smallest = std::is_same_v<Real, Half> ? 0x1p-24 : 1e-37;

template <class Real>
void expect_truth(const CceResult<Real>& result, const CceTruth& truth) {
  expect_close("loss", result.loss, truth.loss, 0x1p-20, 0x1p-22);
  expect_close("dhidden", result.dhidden, truth.dhidden, rounding_of_terms<Real>, rounding_of_stored<Real>,
               smallest<Real>);
  expect_close("dweight", result.dweight, truth.dweight, rounding_of_terms<Real>, rounding_of_stored<Real>,
               smallest<Real>);
  expect_close("dbias", result.dbias, truth.dbias, rounding_of_terms<Real>, rounding_of_stored<Real>, smallest<Real>);
}

}  // namespace assay::metal
