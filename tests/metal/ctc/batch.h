// A batch that owns its arrays, and what the kernel makes of it.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "metal/cpu/ctc/loss.h"
#include "reference/ctc/problem.h"
#include "tests/metal/poison.h"

namespace assay::metal {

using reference::CtcInput;
using reference::CtcProblem;
using reference::CtcTargets;
using reference::CtcVariable;
using reference::Reduction;

struct Batch {
  std::vector<float> activations;
  std::vector<std::int64_t> targets;
  std::vector<std::int64_t> input_lengths;
  std::vector<std::int64_t> target_lengths;
  std::vector<float> upstream;
  CtcProblem<float> options;

  /// T frames of C classes with every logit 0, one row for each of `labels`, padded to the longest with `padding`.
  Batch(std::int64_t T, std::int64_t C, const std::vector<std::vector<std::int64_t>>& labels,
        std::int64_t padding = -1) {
    options.T = T;
    options.B = static_cast<std::int64_t>(labels.size());
    options.C = C;
    activations.resize(labels.size() * static_cast<std::size_t>(T * C));
    for (const auto& row : labels) {
      options.S = std::max(options.S, static_cast<std::int64_t>(row.size()));
      input_lengths.push_back(T);
      target_lengths.push_back(static_cast<std::int64_t>(row.size()));
    }
    for (const auto& row : labels) {
      targets.insert(targets.end(), row.begin(), row.end());
      targets.resize(targets.size() + static_cast<std::size_t>(options.S) - row.size(), padding);
    }
  }

  std::size_t index(std::int64_t t, std::int64_t b, std::int64_t c) const {
    return static_cast<std::size_t>((t * options.B + b) * options.C + c);
  }
  float& at(std::int64_t t, std::int64_t b, std::int64_t c) { return activations[index(t, b, c)]; }

  /// The same rows, one after the other without padding.
  Batch concatenated() const {
    Batch batch = *this;
    batch.options.layout = CtcTargets::concatenated;
    batch.targets.clear();
    for (std::size_t b = 0; b < target_lengths.size(); ++b) {
      const auto row = targets.begin() + static_cast<std::ptrdiff_t>(b) * options.S;
      batch.targets.insert(batch.targets.end(), row, row + target_lengths[b]);
    }
    return batch;
  }

  CtcProblem<float> problem() const {
    CtcProblem<float> problem = options;
    problem.activations = activations;
    problem.targets = targets;
    problem.input_lengths = input_lengths;
    problem.target_lengths = target_lengths;
    problem.upstream = upstream;
    return problem;
  }

  std::size_t loss_size() const { return options.reduction == Reduction::none ? input_lengths.size() : 1; }
};

struct Outcome {
  std::vector<float> loss;
  std::vector<float> gradient;
};

/// Loss and gradient, in arrays that held a value no result has.
inline Outcome run(const Batch& batch, const CpuOptions& options = {}) {
  Outcome outcome = {poisoned<float>(batch.loss_size()), poisoned<float>(batch.activations.size())};
  ctc_loss(batch.problem(), {outcome.loss, outcome.gradient}, options);
  return outcome;
}

/// The loss alone.
inline std::vector<float> run_loss(const Batch& batch, const CpuOptions& options = {}) {
  std::vector<float> loss = poisoned<float>(batch.loss_size());
  ctc_loss(batch.problem(), {loss, {}}, options);
  return loss;
}

}  // namespace assay::metal
