// Cases of CTC with two large extents, with the tail of a tile beside another large extent, of options where rows or
// labels are many, and of shapes people train with. Rows differ in length, and few are different, so that the reference
// computes few (validation/ctc/properties/parts.h).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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

/// What else a case has that its extents do not say.
struct Manner {
  CtcTargets layout = CtcTargets::padded;
  std::int64_t blank = 0;
  Dtype dtype = Dtype::float32;
  bool has_upstream = false;
  bool has_repeats = false;  ///< every third label is that before it, where there are frames for it
};

/// As random as for small cases. Upstream gradients are those of different rows in turn.
Manner some_manner(Random& random, const Extents& size) {
  Manner manner;
  if (random.chance(0.3)) manner.layout = CtcTargets::concatenated;
  if (random.chance(0.3)) manner.blank = random.integer(0, size.C - 1);
  if (random.chance(0.2)) manner.dtype = random.pick({Dtype::float16, Dtype::bfloat16});
  manner.has_upstream = random.chance(0.3);
  manner.has_repeats = random.chance(0.5);
  return manner;
}

void repeat_labels(std::vector<std::int64_t>& labels, std::int64_t frames) {
  if (2 * std::ssize(labels) > frames) return;
  for (std::size_t s = 2; s < labels.size(); s += 3) labels[s] = labels[s - 1];
}

/// Rows of one path each, whose class is the most probable of each frame; no class is far below the others.
CtcCase rows_of_paths(const Extents& size, const Manner& manner, std::uint64_t seed) {
  Random random(seed);
  CtcCase c;
  c.T = size.T;
  c.B = size.B;
  c.C = size.C;
  c.layout = manner.layout;
  c.blank = manner.blank;
  c.dtype = manner.dtype;
  c.variable = random.chance(0.5) ? CtcVariable::logits : CtcVariable::log_probs;
  c.activations.resize(static_cast<std::size_t>(c.T * c.B * c.C));
  std::vector<std::vector<std::int64_t>> labels;
  for (std::int64_t b = 0; b < c.B; ++b) {
    const auto same = static_cast<std::size_t>(b - different_rows);
    if (b < different_rows) {
      labels.push_back(path_labels(random, length_of_row(random, b, size.S), c.C));
      c.input_lengths.push_back(std::max(length_of_row(random, b, c.T), std::ssize(labels.back())));
      if (manner.has_repeats) repeat_labels(labels.back(), c.input_lengths.back());
      for (std::int64_t& label : labels.back()) label -= label <= c.blank ? 1 : 0;
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
  round_to_dtype(c);
  for (std::int64_t b = 0; manner.has_upstream && b < c.B; ++b)
    c.upstream.push_back(1 + static_cast<float>(b % different_rows) / 2);
  return c;
}

/// Each pair of large extents `count` times, up to `largest`; the others are small.
void add_pairs(std::vector<Extents>& all, Random& random, int count, std::int64_t largest) {
  constexpr std::int64_t elements = std::int64_t{1} << 18, states = std::int64_t{1} << 17;
  const auto pairs = [&](std::int64_t budget) { return spread_pairs(random, count, largest, budget); };
  for (const auto& [T, B] : pairs(elements)) all.push_back({T, B, 4, 2});
  for (const auto& [T, C] : pairs(elements)) all.push_back({T, 2, C, 2});
  for (const auto& [one, other] : pairs(states)) all.push_back({std::max(one, other), 1, 5, std::min(one, other)});
  for (const auto& [B, C] : pairs(elements)) all.push_back({2, B, C, 1});
  for (const auto& [B, S] : pairs(states / 8)) all.push_back({S + 3, B, 4, S});
  for (const auto& [C, S] : pairs(elements)) all.push_back({S + 3, 2, C, S});
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

/// Each option alone where there are many rows, and those of labels where rows have many.
std::vector<CtcNamedCase> with_options(Random& random) {
  std::vector<CtcNamedCase> cases;
  const auto add = [&](const char* name, const Extents& e, const Manner& manner) -> CtcCase& {
    cases.push_back(
        {fmt::format("T={} B={} C={} S={} {}", e.T, e.B, e.C, e.S, name), rows_of_paths(e, manner, random.bits())});
    return cases.back().problem;
  };
  const Extents many_rows{66, random.integer(131, 160), 5, 4}, many_labels{330, 2, 5, random.integer(101, 109)};
  add("mean", many_rows, {}).reduction = Reduction::mean;
  add("sum", many_rows, {}).reduction = Reduction::sum;
  for (const Extents& e : {many_rows, many_labels}) {
    add("concatenated", e, {.layout = CtcTargets::concatenated});
    add("repeats", e, {.has_repeats = true});
  }
  add("blank 2", many_rows, {.blank = 2, .has_upstream = true});
  add("float16", many_rows, {.dtype = Dtype::float16});
  add("bfloat16", many_rows, {.dtype = Dtype::bfloat16});
  return cases;
}

}  // namespace

std::int64_t CtcOperation::work_of(const CtcCase& c) {
  return c.T * c.B * (c.C + 2 * c.S + 1);
}

std::vector<CtcNamedCase> CtcOperation::paired_cases(Reach reach, std::uint64_t seed) {
  Random random(seed);
  std::vector<Extents> all;
  add_pairs(all, random, reach == Reach::quick ? 1 : 3, pair_max);
  add_joint(all, random);
  if (reach != Reach::quick) {
    all.push_back({500, 16, 1000, 50});
    all.push_back({300, 32, 500, 40});
  }
  add_tails(all, random, reach);
  std::vector<CtcNamedCase> cases = with_options(random);
  std::ranges::move(pattern_cases(random.bits()), std::back_inserter(cases));
  for (const auto& e : all)
    cases.push_back({fmt::format("T={} B={} C={} S={}", e.T, e.B, e.C, e.S),
                     rows_of_paths(e, some_manner(random, e), random.bits())});
  std::ranges::stable_sort(cases, {}, [](const CtcNamedCase& one) { return work_of(one.problem); });
  return cases;
}

}  // namespace assay::validation
