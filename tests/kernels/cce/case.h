// A linear cross-entropy problem that owns its arrays, and what comes of it by the definition, in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "metal/cpu/cce/loss.h"
#include "tests/metal/poison.h"

namespace assay::metal::test {

using reference::CceProblem;
using reference::Reduction;

template <class Real>
std::vector<Real> converted(const std::vector<float>& values) {
  std::vector<Real> result;
  for (const float value : values) result.push_back(static_cast<Real>(value));
  return result;
}

/// Arrays in float; `as<Real>` rounds them.
struct CceCase {
  std::int64_t N = 0, H = 1, V = 1;
  std::vector<float> hidden, weight, bias, upstream;
  std::vector<std::int64_t> targets;
  double logit_softcap = 0, label_smoothing = 0, z_loss = 0;
  Reduction reduction = Reduction::none;

  std::size_t loss_size() const { return reduction == Reduction::none ? static_cast<std::size_t>(N) : 1; }
};

/// A case in one type, and its problem.
template <class Real>
class Typed {
 public:
  explicit Typed(const CceCase& c)
      : hidden_(converted<Real>(c.hidden)), weight_(converted<Real>(c.weight)), bias_(converted<Real>(c.bias)), c_(c) {}

  CceProblem<Real> problem() const {
    CceProblem<Real> problem;
    problem.N = c_.N;
    problem.H = c_.H;
    problem.V = c_.V;
    problem.hidden = hidden_;
    problem.weight = weight_;
    problem.bias = bias_;
    problem.targets = c_.targets;
    problem.upstream = c_.upstream;
    problem.logit_softcap = c_.logit_softcap;
    problem.label_smoothing = c_.label_smoothing;
    problem.z_loss = c_.z_loss;
    problem.reduction = c_.reduction;
    return problem;
  }

 private:
  std::vector<Real> hidden_, weight_, bias_;
  CceCase c_;
};

/// Normal numbers, logits of about `scale`; every fifth token is ignored, and its row is not a number.
inline CceCase some_cce(std::int64_t N, std::int64_t H, std::int64_t V, bool with_bias = false, double scale = 2,
                        std::uint64_t seed = 1) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<float> normal;
  CceCase c;
  c.N = N;
  c.H = H;
  c.V = V;
  const auto root = static_cast<float>(std::sqrt(scale / std::sqrt(static_cast<double>(H))));
  for (std::int64_t i = 0; i < N * H; ++i) c.hidden.push_back(root * normal(bits));
  for (std::int64_t i = 0; i < V * H; ++i) c.weight.push_back(root * normal(bits));
  for (std::int64_t v = 0; with_bias && v < V; ++v) c.bias.push_back(normal(bits));
  for (std::int64_t n = 0; n < N; ++n) {
    c.targets.push_back(static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(V)));
    if (n % 5 != 3) continue;
    c.targets.back() = -100;
    std::fill_n(c.hidden.begin() + n * H, H, std::numeric_limits<float>::quiet_NaN());
  }
  return c;
}

/// Results in double, rounded by nobody. Empty dbias without a bias.
struct CceExact {
  std::vector<double> loss, lse, dhidden, dweight, dbias;
};

namespace detail {

struct ExactLogit {
  double x, slope;
};

/// One token by reference/cce/problem.h, into what is given.
template <class Real>
class ExactToken {
 public:
  ExactToken(const CceProblem<Real>& problem, std::size_t n)
      : p_(problem), n_(n), width_(static_cast<std::size_t>(p_.H)) {
    double largest = -INFINITY, sum = 0;
    for (std::size_t v = 0; v < static_cast<std::size_t>(p_.V); ++v) logits_.push_back(logit(v));
    for (const ExactLogit& logit : logits_) largest = std::max(largest, logit.x);
    for (const ExactLogit& logit : logits_) sum += std::exp(logit.x - largest);
    lse = largest + std::log(sum);
    const auto target = static_cast<std::size_t>(p_.targets[n]);
    loss = (1 - p_.label_smoothing) * exact_loss(target) + p_.z_loss * lse * lse;
    if (p_.label_smoothing > 0)
      for (const ExactLogit& logit : logits_) loss += p_.label_smoothing / static_cast<double>(p_.V) * (lse - logit.x);
  }

  void add_gradients(double weight, CceExact& exact) const {
    const auto target = static_cast<std::size_t>(p_.targets[n_]);
    const double others = exp_of_others(target), from_one = -others / (1 + others);  // p - 1 of the target
    for (std::size_t v = 0; v < logits_.size(); ++v) {
      const double p = std::exp(logits_[v].x - lse), one_hot = v == target ? 1 - p_.label_smoothing : 0;
      const bool is_sure = v == target && p_.label_smoothing == 0 && others < 1;
      const double less = is_sure ? from_one : p - one_hot;
      const double of_x = less + 2 * p * p_.z_loss * lse - p_.label_smoothing / static_cast<double>(p_.V);
      const double of_z = weight * of_x * logits_[v].slope;
      for (std::size_t h = 0; h < width_; ++h) {
        exact.dhidden[n_ * width_ + h] += of_z * double{float{p_.weight[v * width_ + h]}};
        exact.dweight[v * width_ + h] += of_z * double{float{p_.hidden[n_ * width_ + h]}};
      }
      if (!p_.bias.empty()) exact.dbias[v] += of_z;
    }
  }

  double lse = 0, loss = 0;

 private:
  ExactLogit logit(std::size_t v) const {
    double z = p_.bias.empty() ? 0 : double{float{p_.bias[v]}};
    for (std::size_t h = 0; h < width_; ++h)
      z += double{float{p_.hidden[n_ * width_ + h]}} * double{float{p_.weight[v * width_ + h]}};
    if (p_.logit_softcap == 0 || std::isinf(p_.logit_softcap)) return {z, 1};
    const double cosh = std::cosh(z / p_.logit_softcap);
    return {p_.logit_softcap * std::tanh(z / p_.logit_softcap), 1 / (cosh * cosh)};
  }
  /// In units of that of the target.
  double exp_of_others(std::size_t target) const {
    double others = 0;
    for (std::size_t v = 0; v < logits_.size(); ++v)
      if (v != target) others += std::exp(logits_[v].x - logits_[target].x);
    return others;
  }
  /// Right near 0 too.
  double exact_loss(std::size_t target) const {
    const double others = exp_of_others(target);
    return others < 1 ? std::log1p(others) : lse - logits_[target].x;
  }

  const CceProblem<Real>& p_;
  std::size_t n_, width_;
  std::vector<ExactLogit> logits_;
};

}  // namespace detail

template <class Real>
CceExact exact_cce(const CceProblem<Real>& p) {
  const auto N = static_cast<std::size_t>(p.N);
  CceExact exact;
  exact.loss.assign(p.reduction == Reduction::none ? N : 1, 0);
  exact.lse.assign(N, 0);
  exact.dhidden.assign(p.hidden.size(), 0);
  exact.dweight.assign(p.weight.size(), 0);
  exact.dbias.assign(p.bias.size(), 0);
  const auto valid = std::ranges::count_if(p.targets, [&](std::int64_t target) { return target != p.ignore_index; });
  const double share = p.reduction == Reduction::mean ? 1 / static_cast<double>(valid) : 1;
  for (std::size_t n = 0; n < N; ++n) {
    if (p.is_ignored(static_cast<std::int64_t>(n))) continue;
    const detail::ExactToken<Real> token(p, n);
    const std::size_t which = p.reduction == Reduction::none ? n : 0;
    exact.lse[n] = token.lse;
    exact.loss[which] += share * token.loss;
    token.add_gradients(share * (p.upstream.empty() ? 1.0 : double{p.upstream[which]}), exact);
  }
  return exact;
}

/// Outputs in arrays that hold a value no result has.
template <class Real>
struct CceResults {
  explicit CceResults(const CceProblem<Real>& problem)
      : loss(poisoned<float>(problem.reduction == Reduction::none ? static_cast<std::size_t>(problem.N) : 1)),
        dhidden(poisoned<Real>(problem.hidden.size())),
        dweight(poisoned<Real>(problem.weight.size())),
        dbias(poisoned<Real>(problem.bias.size())) {}

  CceGradients<Real> gradients() { return {dhidden, dweight, dbias}; }
  CceOutput<Real> spans() { return {loss, gradients()}; }

  bool operator==(const CceResults& other) const {
    return same_bits(loss, other.loss) && same_bits(dhidden, other.dhidden) && same_bits(dweight, other.dweight) &&
           same_bits(dbias, other.dbias);
  }
  bool hold_only(float value) const {
    return are_all(value, loss) && are_all(value, dhidden) && are_all(value, dweight) && are_all(value, dbias);
  }

  std::vector<float> loss;
  std::vector<Real> dhidden, dweight, dbias;
};

}  // namespace assay::metal::test
