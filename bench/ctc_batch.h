// Random batches for the CTC benchmarks, in any storage type.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "metal/cpu/ctc/loss.h"
#include "reference/ctc/problem.h"

namespace assay::bench {

struct CtcSize {
  std::int64_t T, B, C;
  std::int64_t S = 0;  ///< labels of every row, or 0: uniform in 1..T, as many as are feasible
  float scale = 1.0F;  ///< standard deviation of the logits
};

/// As the tables call it: T=150 B=1 C=28 S=75 x1.
inline std::string name_of(const CtcSize& size) {
  std::string name = "T=" + std::to_string(size.T) + " B=" + std::to_string(size.B) + " C=" + std::to_string(size.C);
  if (size.S > 0) name += " S=" + std::to_string(size.S) + " x" + std::to_string(std::lround(size.scale));
  return name;
}

/// Logits [T, B, C] rounded to Real, concatenated targets.
template <class Real>
struct CtcBatch {
  CtcSize size;
  std::vector<Real> logits;
  std::vector<std::int64_t> targets, input_lengths, target_lengths;

  explicit CtcBatch(const CtcSize& of) : size(of), input_lengths(static_cast<std::size_t>(of.B), of.T) {
    std::mt19937_64 bits(1);
    for (std::int64_t b = 0; b < of.B; ++b) {
      std::vector<std::int64_t> labels = draw_labels(bits);
      while (!feasible(labels)) labels = draw_labels(bits);
      targets.insert(targets.end(), labels.begin(), labels.end());
      target_lengths.push_back(std::ssize(labels));
    }
    std::normal_distribution<float> normal(0.0F, of.scale);
    logits.resize(static_cast<std::size_t>(of.T * of.B * of.C));
    for (Real& logit : logits) logit = Real(normal(bits));
  }

  reference::CtcProblem<Real> problem() const {
    reference::CtcProblem<Real> problem;
    problem.T = size.T, problem.B = size.B, problem.C = size.C;
    problem.activations = logits;
    problem.targets = targets, problem.layout = reference::CtcTargets::concatenated;
    problem.input_lengths = input_lengths, problem.target_lengths = target_lengths;
    return problem;
  }

 private:
  std::vector<std::int64_t> draw_labels(std::mt19937_64& bits) const {
    const auto draw = [&](std::int64_t most) {
      return 1 + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(most));
    };
    std::vector<std::int64_t> labels(static_cast<std::size_t>(size.S > 0 ? size.S : draw(size.T)));
    for (std::int64_t& label : labels) label = draw(size.C - 1);
    return labels;
  }

  bool feasible(const std::vector<std::int64_t>& labels) const {
    std::int64_t least = std::ssize(labels);
    for (std::size_t s = 1; s < labels.size(); ++s) least += labels[s] == labels[s - 1] ? 1 : 0;
    return least <= size.T;
  }
};

/// Loss and gradient, in memory that is there beforehand.
template <class Real>
struct CtcResult {
  std::vector<float> loss;
  std::vector<Real> gradient;

  explicit CtcResult(const CtcBatch<Real>& batch) : loss(batch.target_lengths.size()), gradient(batch.logits.size()) {}
  metal::CtcOutput<Real> output() { return {loss, gradient}; }
};

}  // namespace assay::bench
