// A linear cross-entropy problem that owns its arrays, and the results of one.
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
