// Batches for the tests of diagnosis: healthy ones, and rows from frames and labels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "validation/ctc/diagnosis/diagnose.h"

namespace assay::validation {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// T=6, B=2, C=4, random logits; row 0 has labels 1 2 2 (one repeat) in 6 frames, row 1 label 3 in 4 frames.
inline CtcCase healthy() {
  CtcCase c;
  c.T = 6;
  c.B = 2;
  c.C = 4;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 6 * 2 * 4; ++i) c.activations.push_back(normal(random));
  c.input_lengths = {6, 4};
  set_targets(c, {{1, 2, 2}, {3}});
  return c;
}

inline CtcCase concatenated() {
  CtcCase c = healthy();
  c.layout = CtcTargets::concatenated;
  set_targets(c, {{1, 2, 2}, {3}});
  return c;
}

/// log_probs as a float32 kernel makes them: x - max - log(sum), all in float32.
inline CtcCase with_log_probs(CtcCase c) {
  c.input = CtcInput::log_probs;
  for (auto frame = c.activations.begin(); frame != c.activations.end(); frame += c.C) {
    const float max = *std::max_element(frame, frame + c.C);
    float sum = 0;
    for (auto x = frame; x != frame + c.C; ++x) sum += std::exp(*x - max);
    for (auto x = frame; x != frame + c.C; ++x) *x = *x - max - std::log(sum);
  }
  return c;
}

inline CtcCase with_probabilities(CtcCase c) {
  c = with_log_probs(c);
  for (float& x : c.activations) x = std::exp(x);
  return c;
}

/// A row of one frame per element of `frames`.
inline CtcCase row_of(CtcInput input, const std::vector<std::vector<float>>& frames,
                      const std::vector<std::int64_t>& labels) {
  CtcCase c;
  c.T = static_cast<std::int64_t>(frames.size());
  c.B = 1;
  c.C = frames.empty() ? 2 : static_cast<std::int64_t>(frames[0].size());
  c.input = input;
  for (const auto& frame : frames) c.activations.insert(c.activations.end(), frame.begin(), frame.end());
  c.input_lengths = {c.T};
  set_targets(c, {labels});
  return c;
}

}  // namespace assay::validation
