// Cases of CTC with two large extents, with the tail of a tile beside another large extent, and of shapes people train
// with. Rows differ in length, and few are different, so that the reference computes few
// (validation/ctc/properties/parts.h).
#include <fmt/format.h>

#include <algorithm>

#include "validation/core/sizes.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

/// How many rows of a case are different.
constexpr std::int64_t different_rows = 3;

struct Extents {
  std::int64_t T, B, C, S;
};

/// S labels, none like the one before.
std::vector<std::int64_t> path_labels(Random& random, std::int64_t S, std::int64_t C) {
  std::vector<std::int64_t> labels = {random.integer(1, C - 1)};
  while (std::ssize(labels) < S) labels.push_back(1 + (labels.back() - 1 + random.integer(1, C - 2)) % (C - 1));
  return labels;
}

/// Row 0 has all frames and labels; the others have some less.
std::int64_t length_of_row(Random& random, std::int64_t b, std::int64_t longest) {
  return b == 0 ? longest : std::max<std::int64_t>(longest - random.integer(0, longest / 3), 1);
}

/// Rows of one path each, whose class is the most probable of each frame; no class is far below the others.
CtcCase rows_of_paths(const Extents& size, std::uint64_t seed) {
  Random random(seed);
  CtcCase c;
  c.T = size.T;
  c.B = size.B;
  c.C = size.C;
  c.variable = random.chance(0.5) ? CtcVariable::logits : CtcVariable::log_probs;
  c.activations.resize(static_cast<std::size_t>(c.T * c.B * c.C));
  std::vector<std::vector<std::int64_t>> labels;
  for (std::int64_t b = 0; b < c.B; ++b) {
    const auto same = static_cast<std::size_t>(b - different_rows);
    if (b < different_rows) {
      labels.push_back(path_labels(random, length_of_row(random, b, size.S), c.C));
      c.input_lengths.push_back(std::max(length_of_row(random, b, c.T), std::ssize(labels.back())));
    } else {
      labels.push_back(labels[same]);
      c.input_lengths.push_back(c.input_lengths[same]);
    }
    const std::int64_t frames = c.input_lengths.back(), S = std::ssize(labels.back());
    for (std::int64_t t = 0; t < c.T; ++t) {
      const std::int64_t most_probable = labels.back()[static_cast<std::size_t>(std::min(t * S / frames, S - 1))];
      for (std::int64_t k = 0; k < c.C; ++k)
        c.activation(t, b, k) = b >= different_rows ? c.activation(t, b - different_rows, k)
                                                    : static_cast<float>(random.gaussian() + (k == most_probable) * 6);
    }
  }
  set_targets(c, labels);
  return c;
}

/// Each pair of large extents once, up to `largest`; the others are small.
void add_pairs(std::vector<Extents>& all, Random& random, std::int64_t largest) {
  constexpr std::int64_t elements = std::int64_t{1} << 18, states = std::int64_t{1} << 17;
  const auto pair = [&](std::int64_t budget) { return pair_of_sizes(random, largest, budget); };
  const auto [T1, B1] = pair(elements);
  all.push_back({T1, B1, 4, 2});
  const auto [T2, C2] = pair(elements);
  all.push_back({T2, 2, C2, 2});
  const auto [one, other] = pair(states);
  all.push_back({std::max(one, other), 1, 5, std::min(one, other)});
  const auto [B4, C4] = pair(elements);
  all.push_back({2, B4, C4, 1});
  const auto [B5, S5] = pair(states / 8);
  all.push_back({S5 + 3, B5, 4, S5});
  const auto [C6, S6] = pair(elements);
  all.push_back({S6 + 3, 2, C6, S6});
}

/// Three extents and more that are large at once, beyond the tiles of kernels.
void add_joint(std::vector<Extents>& all, Random& random) {
  const auto from = [&](std::int64_t least) { return random.integer(least, least + least / 12); };
  all.push_back({from(300), from(160), from(40), 20});
  all.push_back({from(40), from(150), from(600), 10});
  all.push_back({from(300), 2, from(1030), 10});
  const std::int64_t S = from(136);
  all.push_back({S + 3, from(136), 5, S});
  const std::int64_t labels = from(260);
  all.push_back({labels + 3, 2, from(600), labels});
}

/// Sizes with the tails of tiles, each beside another extent that is large. A quick run has those that cost little.
void add_tails(std::vector<Extents>& all, Random& random, Reach reach) {
  for (const std::int64_t T : tiled_sizes(random, reach, pair_min, pair_max)) all.push_back({T, 66, 5, 4});
  for (const std::int64_t B : tiled_sizes(random, reach, pair_min, pair_max)) all.push_back({66, B, 5, 3});
  if (reach == Reach::quick) return;
  for (const std::int64_t C : tiled_sizes(random, reach, pair_min, pair_max)) all.push_back({130, 1, C, 4});
  for (const std::int64_t S : tiled_sizes(random, reach, pair_min, 4 * pair_min)) all.push_back({S + 3, 1, 66, S});
}

}  // namespace

std::int64_t CtcOperation::work_of(const CtcCase& c) {
  return c.T * c.B * (c.C + 2 * c.S + 1);
}

std::vector<CtcNamedCase> CtcOperation::paired_cases(Reach reach, std::uint64_t seed) {
  Random random(seed);
  std::vector<Extents> all;
  add_pairs(all, random, 2 * pair_min);
  add_joint(all, random);
  if (reach != Reach::quick) {
    add_pairs(all, random, pair_max);
    all.push_back({500, 16, 1000, 50});
    all.push_back({300, 32, 500, 40});
  }
  add_tails(all, random, reach);
  std::vector<CtcNamedCase> cases;
  for (const auto& e : all)
    cases.push_back({fmt::format("T={} B={} C={} S={}", e.T, e.B, e.C, e.S), rows_of_paths(e, random.bits())});
  for (const Reduction reduction : {Reduction::mean, Reduction::sum}) {
    cases.push_back({"T=66 B=65 C=5 S=4", rows_of_paths({66, 65, 5, 4}, random.bits())});
    cases.back().problem.reduction = reduction;
  }
  std::ranges::stable_sort(cases, {}, [](const CtcNamedCase& one) { return work_of(one.problem); });
  return cases;
}

}  // namespace assay::validation
