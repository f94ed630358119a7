// CTC by its definition, with 50 digits: p is the sum of the probabilities of all alignments, the C^T sequences of
// classes that become the labels when repeats are merged and blanks removed (Graves et al. 2006, eqs. 2 and 3).
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdint>
#include <vector>

#include "reference/ctc/problem.h"
#include "reference/ctc/targets.h"

namespace assay::metal {

using Exact = boost::multiprecision::cpp_bin_float_50;

/// One row: p, and y and the posterior of each class at each frame, [T_b * C] each.
struct Enumeration {
  Exact p = 0;
  std::vector<Exact> y;
  std::vector<Exact> posterior;
};

/// The labels that a sequence of classes becomes.
inline std::vector<std::int64_t> collapse(const std::vector<std::int64_t>& path, std::int64_t blank) {
  std::vector<std::int64_t> labels;
  for (std::size_t t = 0; t < path.size(); ++t)
    if (path[t] != blank && (t == 0 || path[t] != path[t - 1])) labels.push_back(path[t]);
  return labels;
}

/// The next sequence of classes below C in counting order; false after the last.
inline bool advance(std::vector<std::int64_t>& path, std::int64_t C) {
  for (std::int64_t& digit : path) {
    if (++digit < C) return true;
    digit = 0;
  }
  return false;
}

/// y of row b, [T_b * C].
inline std::vector<Exact> probabilities(const reference::CtcProblem<float>& problem, std::size_t b) {
  const auto T = static_cast<std::size_t>(problem.input_lengths[b]), C = static_cast<std::size_t>(problem.C);
  std::vector<Exact> y(T * C);
  for (std::size_t t = 0; t < T; ++t) {
    Exact sum = 0;
    for (std::size_t c = 0; c < C; ++c) {
      const float activation = problem.activations[(t * problem.input_lengths.size() + b) * C + c];
      y[t * C + c] = exp(Exact(activation));
      sum += y[t * C + c];
    }
    if (problem.input == reference::CtcInput::log_probs) continue;
    for (std::size_t c = 0; c < C; ++c) y[t * C + c] /= sum;
  }
  return y;
}

inline Enumeration enumerate(const reference::CtcProblem<float>& problem, std::size_t b, reference::Targets row) {
  const auto C = static_cast<std::size_t>(problem.C);
  const std::vector<std::int64_t> labels(row.begin(), row.end());
  Enumeration result;
  result.y = probabilities(problem, b);
  result.posterior.resize(result.y.size(), 0);
  std::vector<std::int64_t> path(static_cast<std::size_t>(problem.input_lengths[b]), 0);
  do {
    if (collapse(path, problem.blank) != labels) continue;
    Exact probability = 1;
    for (std::size_t t = 0; t < path.size(); ++t) probability *= result.y[t * C + static_cast<std::size_t>(path[t])];
    result.p += probability;
    for (std::size_t t = 0; t < path.size(); ++t)
      result.posterior[t * C + static_cast<std::size_t>(path[t])] += probability;
  } while (advance(path, problem.C));
  if (result.p > 0)
    for (Exact& posterior : result.posterior) posterior /= result.p;
  return result;
}

}  // namespace assay::metal
