// Problems without activations: what a plan is made from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "reference/ctc/problem.h"

namespace assay::metal::test {

/// Rows of given frames and labels. Labels count 1, 2, ... C - 1, 1, ...
struct Shapes {
  std::vector<std::int64_t> targets, input_lengths, target_lengths;
  std::vector<float> upstream;
  reference::CtcProblem<float> options;

  /// `rows`: frames and labels of each.
  Shapes(std::int64_t T, std::int64_t C, const std::vector<std::pair<std::int64_t, std::int64_t>>& rows) {
    options.T = T;
    options.B = static_cast<std::int64_t>(rows.size());
    options.C = C;
    options.layout = reference::CtcTargets::concatenated;
    for (const auto& [frames, labels] : rows) {
      input_lengths.push_back(frames);
      target_lengths.push_back(labels);
      for (std::int64_t s = 0; s < labels; ++s) targets.push_back(1 + s % (C - 1));
    }
  }

  template <class Real = float>
  reference::CtcProblem<Real> problem() const {
    reference::CtcProblem<Real> problem;
    problem.T = options.T;
    problem.B = options.B;
    problem.C = options.C;
    problem.targets = targets;
    problem.input_lengths = input_lengths;
    problem.target_lengths = target_lengths;
    problem.blank = options.blank;
    problem.input = options.input;
    problem.variable = options.variable;
    problem.layout = options.layout;
    problem.reduction = options.reduction;
    problem.zero_infinity = options.zero_infinity;
    if constexpr (std::is_same_v<Real, float>) problem.upstream = upstream;
    return problem;
  }
};

/// One row of L = 2 labels + 1 states.
inline Shapes one_row(std::int64_t frames, std::int64_t labels) {
  return {frames, 5, {{frames, labels}}};
}

}  // namespace assay::metal::test
