// A problem of linear cross-entropy that owns its arrays, and what a kernel makes of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "metal/cpu/cce/loss.h"
#include "metal/cpu/cce/tuning.h"
#include "tests/metal/poison.h"

namespace assay::metal {

using reference::CceProblem;
using reference::Reduction;

template <class Real>
struct CceCase {
  std::vector<Real> hidden, weight, bias;
  std::vector<std::int64_t> targets;
  std::vector<float> upstream;
  CceProblem<Real> options;  ///< extents and options

  /// Logits of the order of `scale`, uniform targets.
  CceCase(std::int64_t N, std::int64_t H, std::int64_t V, double scale = 2.0, bool with_bias = false,
          unsigned seed = 1) {
    options.N = N;
    options.H = H;
    options.V = V;
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const auto fill = [&](std::vector<Real>& array, std::int64_t count, double size) {
      for (std::int64_t i = 0; i < count; ++i)
        array.push_back(static_cast<Real>(static_cast<float>(size * normal(random))));
    };
    fill(hidden, N * H, scale / std::sqrt(static_cast<double>(H)));
    fill(weight, V * H, 1.0);
    if (with_bias) fill(bias, V, 1.0);
    std::uniform_int_distribution<std::int64_t> entry(0, V - 1);
    for (std::int64_t n = 0; n < N; ++n) targets.push_back(entry(random));
  }

  CceProblem<Real> problem() const {
    CceProblem<Real> all = options;
    all.hidden = hidden;
    all.weight = weight;
    all.bias = bias;
    all.targets = targets;
    all.upstream = upstream;
    return all;
  }
};

/// What a kernel wrote.
template <class Real>
struct CceResult {
  std::vector<float> loss;
  std::vector<Real> dhidden, dweight, dbias;
  std::vector<double> log_sum_exp;

  explicit CceResult(const CceProblem<Real>& problem)
      : loss(poisoned<float>(static_cast<std::size_t>(problem.reduction == Reduction::none ? problem.N : 1))),
        dhidden(poisoned<Real>(problem.hidden.size())),
        dweight(poisoned<Real>(problem.weight.size())),
        dbias(poisoned<Real>(problem.bias.size())),
        log_sum_exp(static_cast<std::size_t>(problem.N), 777.0) {}

  CceOutput<Real> output() { return {loss, {dhidden, dweight, dbias}}; }
};

struct CallOptions {
  int threads = 1;
  cpu::CceTuning tuning;
};

template <class Real>
CceResult<Real> fused(const CceCase<Real>& given, const CallOptions& how = {}) {
  CceResult<Real> result(given.problem());
  cpu::cce_loss(given.problem(), result.output(), {how.threads}, how.tuning);
  return result;
}

template <class Real>
CceResult<Real> separate(const CceCase<Real>& given, const CallOptions& how = {}) {
  CceResult<Real> result(given.problem());
  cpu::cce_forward(given.problem(), result.loss, result.log_sum_exp, {how.threads}, how.tuning);
  cpu::cce_backward(given.problem(), result.log_sum_exp, result.output().gradients, {how.threads}, how.tuning);
  return result;
}

}  // namespace assay::metal
