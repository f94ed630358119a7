// Linear cross-entropy in float32, written straight down: naive sums, a maximum, exp and log, and no care beyond that.
//
// What it claims of itself is up to the test: the truth, so that the bounds must hold it, or more than that, so that
// they must not. It may round the log-sum-exp to one number, which costs the digits that all logits have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "validation/cce/kernel.h"

namespace assay::validation {

class FloatCceKernel : public CceKernel {
 public:
  explicit FloatCceKernel(CceKernelInfo info, bool rounds_lse = false)
      : info_(std::move(info)), rounds_lse_(rounds_lse) {}

  const CceKernelInfo& info() const override { return info_; }

  void run(const metal::AnyCceProblem& any, const metal::AnyCceOutput& out, const CceRequest&) const override {
    metal::with_types(any, out, [this](const auto& problem, const auto& output) { compute(problem, output); });
  }

 private:
  template <class Real>
  using Problem = reference::CceProblem<Real>;

  struct Sums {
    std::vector<float> dhidden, dweight, dbias;
    float loss = 0;
  };

  template <class Real>
  static float cap_of(const Problem<Real>& p) {
    return std::isfinite(p.logit_softcap) ? static_cast<float>(p.logit_softcap) : 0;
  }

  template <class Real>
  static std::vector<float> logits(const Problem<Real>& p, std::size_t n) {
    const auto H = static_cast<std::size_t>(p.H), V = static_cast<std::size_t>(p.V);
    std::vector<float> z(V);
    for (std::size_t v = 0; v < V; ++v) {
      for (std::size_t h = 0; h < H; ++h)
        z[v] += static_cast<float>(p.hidden[n * H + h]) * static_cast<float>(p.weight[v * H + h]);
      if (!p.bias.empty()) z[v] += static_cast<float>(p.bias[v]);
    }
    return z;
  }

  /// lse = max + log
  struct LogSum {
    float max, log;
  };

  LogSum log_sum_exp(const std::vector<float>& x) const {
    const float m = *std::max_element(x.begin(), x.end());
    float sum = 0;
    for (const float one : x) sum += std::exp(one - m);
    return rounds_lse_ ? LogSum{m + std::log(sum), 0} : LogSum{m, std::log(sum)};
  }

  template <class Real>
  static float loss(const Problem<Real>& p, const std::vector<float>& x, std::size_t target, LogSum parts) {
    const auto eps = static_cast<float>(p.label_smoothing), zeta = static_cast<float>(p.z_loss);
    const float lse = parts.max + parts.log;
    float loss = (parts.max - x[target]) + parts.log;
    if (eps > 0) {
      loss = lse - (eps < 1 ? (1 - eps) * x[target] : 0.0F);
      for (const float one : x) loss -= eps / static_cast<float>(p.V) * one;
    }
    return loss + zeta * lse * lse;
  }

  template <class Real>
  static void add_gradients(const Problem<Real>& p, std::size_t n, float w, const std::vector<float>& x, LogSum parts,
                            Sums& sums) {
    const auto H = static_cast<std::size_t>(p.H), V = static_cast<std::size_t>(p.V);
    const auto eps = static_cast<float>(p.label_smoothing), zeta = static_cast<float>(p.z_loss);
    const float cap = cap_of(p), lse = parts.max + parts.log;
    for (std::size_t v = 0; v < V; ++v) {
      const float one_hot = static_cast<std::int64_t>(v) == p.targets[n] ? 1 - eps : 0;
      float g =
          std::exp((x[v] - parts.max) - parts.log) * (1 + 2 * zeta * lse) - one_hot - eps / static_cast<float>(p.V);
      if (cap > 0) g *= 1 - x[v] / cap * (x[v] / cap);
      g *= w;
      sums.dbias[v] += g;
      for (std::size_t h = 0; h < H; ++h) {
        sums.dhidden[n * H + h] += g * static_cast<float>(p.weight[v * H + h]);
        sums.dweight[v * H + h] += g * static_cast<float>(p.hidden[n * H + h]);
      }
    }
  }

  template <class Real, class Output>
  static void store(const std::vector<float>& from, const Output& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<Real>(from[i]);
  }

  template <class Real, class Output>
  void compute(const Problem<Real>& p, const Output& out) const {
    const auto N = static_cast<std::size_t>(p.N), V = static_cast<std::size_t>(p.V);
    Sums sums{std::vector<float>(p.hidden.size()), std::vector<float>(p.weight.size()), std::vector<float>(V)};
    const auto valid = static_cast<float>(
        N - static_cast<std::size_t>(std::count(p.targets.begin(), p.targets.end(), p.ignore_index)));
    const bool per_token = p.reduction == reference::Reduction::none;
    const float share = p.reduction == reference::Reduction::mean && valid > 0 ? 1 / valid : 1;
    for (std::size_t n = 0; n < N; ++n) {
      if (per_token) out.loss[n] = 0;
      if (p.is_ignored(static_cast<std::int64_t>(n))) continue;
      std::vector<float> x = logits(p, n);
      const float cap = cap_of(p);
      if (cap > 0)
        for (float& one : x) one = cap * std::tanh(one / cap);
      const LogSum lse = log_sum_exp(x);
      const float token_loss = loss(p, x, static_cast<std::size_t>(p.targets[n]), lse);
      if (per_token) out.loss[n] = token_loss;
      sums.loss += token_loss * share;
      const float w = share * (p.upstream.empty() ? 1.0F : p.upstream[per_token ? n : 0]);
      add_gradients(p, n, w, x, lse, sums);
    }
    if (!per_token) out.loss[0] = sums.loss;
    store<Real>(sums.dhidden, out.gradients.dhidden);
    store<Real>(sums.dweight, out.gradients.dweight);
    store<Real>(sums.dbias, out.gradients.dbias);
  }

  CceKernelInfo info_;
  bool rounds_lse_;
};

}  // namespace assay::validation
