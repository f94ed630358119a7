// Problems that reach what the kernels of one size class do: full and nearly empty lanes, repeats, rows without frames,
// without labels, without an alignment, -inf, unequal lengths.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "validation/core/random.h"
#include "validation/ctc/case.h"

namespace assay::metal::test {

using validation::CtcCase;

/// Rows of these numbers of labels, drawn from C classes with repeats among them; row b has 2 labels + 3 b + 1 frames.
inline CtcCase some_case(std::int64_t C, const std::vector<std::int64_t>& labels, std::uint64_t seed = 1) {
  validation::Random random(seed);
  CtcCase c;
  c.B = static_cast<std::int64_t>(labels.size());
  c.C = C;
  c.blank = C / 2;
  std::vector<std::vector<std::int64_t>> rows;
  for (std::size_t b = 0; b < labels.size(); ++b) {
    rows.emplace_back();
    for (std::int64_t s = 0; s < labels[b]; ++s) {
      const std::int64_t label = random.integer(0, C - 2);
      const bool repeats = s > 0 && random.chance(0.2);
      rows.back().push_back(repeats ? rows.back().back() : label + (label >= c.blank ? 1 : 0));
    }
    c.input_lengths.push_back(2 * labels[b] + 3 * static_cast<std::int64_t>(b) + 1);
    c.T = std::max(c.T, c.input_lengths.back());
  }
  set_targets(c, rows);
  for (std::int64_t i = 0; i < c.T * c.B * c.C; ++i) c.activations.push_back(static_cast<float>(3 * random.gaussian()));
  return c;
}

/// The same with a row of no frames, one with too few, one whose labels have probability 0, and garbage past the
/// lengths.
inline CtcCase edge_case(std::int64_t C, std::int64_t labels, std::uint64_t seed = 1) {
  CtcCase c = some_case(C, {labels, labels, labels, 0, labels / 2, 0}, seed);
  c.input_lengths[0] = labels > 0 ? labels - 1 : 0;
  c.input_lengths[5] = 0;
  const std::int64_t forbidden = labels > 0 ? c.labels(1)[0] : c.blank;
  for (std::int64_t t = 0; t < c.T; ++t) c.activation(t, 1, forbidden) = -std::numeric_limits<float>::infinity();
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t t = c.input_lengths[static_cast<std::size_t>(b)]; t < c.T; ++t)
      for (std::int64_t k = 0; k < C; ++k) c.activation(t, b, k) = std::numeric_limits<float>::quiet_NaN();
  return c;
}

}  // namespace assay::metal::test
