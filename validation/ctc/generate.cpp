// Generates problems on which CTC kernels are known to break.
//
// Structure first: no frames, no labels, exactly enough frames, one too few, repeats, lengths around 32 and 64,
// lengths that differ in a batch, any blank. Then values: constant, few bits, Gaussian, confident, log-uniform
// magnitudes, near ties, -inf. Frames past input_length and targets past target_length hold garbage on purpose.
#include "validation/ctc/operation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/ctc/repeats.h"
#include "validation/ctc/generate_values.h"

namespace assay::validation {
namespace {

using Labels = std::vector<std::int64_t>;

std::int64_t some_label(Random& random, const CtcCase& c) {
  const std::int64_t label = random.integer(0, c.C - 2);
  return label >= c.blank ? label + 1 : label;
}

/// Random labels, equal labels, labels in pairs, or labels from an alphabet of two.
Labels some_labels(Random& random, const CtcCase& c, std::int64_t count) {
  Labels labels;
  const auto pattern = random.integer(0, 4);
  const Labels two = {some_label(random, c), some_label(random, c)};
  for (std::int64_t i = 0; i < count; ++i) {
    const bool keep = i > 0 && (pattern == 0 || (pattern == 1 && i % 2 == 1));
    if (keep) {
      labels.push_back(labels.back());
    } else {
      labels.push_back(pattern == 2 ? two[random.chance(0.5) ? 0 : 1] : some_label(random, c));
    }
  }
  return labels;
}

std::int64_t some_frames(Random& random, int size, bool is_long) {
  if (is_long) return random.pick<std::int64_t>({31, 32, 33, 47, 63, 64, 65, 96, 127, 129});
  if (random.chance(0.1)) return random.pick<std::int64_t>({1, 2});
  return random.integer(1, 4 + size / 6);
}

std::int64_t some_label_count(Random& random, std::int64_t frames, bool is_long) {
  if (is_long && random.chance(0.6)) {
    return std::min<std::int64_t>(frames, random.pick<std::int64_t>({15, 16, 17, 31, 32, 33, 63, 64}));
  }
  return random.chance(0.25) ? frames : random.integer(1, std::max<std::int64_t>(1, frames));
}

struct DrawnRow {
  std::int64_t frames = 0;
  Labels labels;
};

DrawnRow some_row(Random& random, const CtcCase& c, int size, bool is_long, const CtcProfile& profile) {
  DrawnRow row;
  row.frames = some_frames(random, size, is_long);
  if (random.chance(profile.empty_rows)) {
    const auto which = random.integer(0, 3);
    if (which >= 2) row.frames = 0;
    if (which <= 2 || c.C < 2) return row;
  }
  if (c.C < 2) return row;
  row.labels = some_labels(random, c, some_label_count(random, row.frames, is_long));
  if (random.chance(profile.impossible_rows)) {
    row.frames =
        std::max<std::int64_t>(0, static_cast<std::int64_t>(row.labels.size()) + reference::repeats(row.labels) - 1);
    return row;
  }
  while (!row.labels.empty() &&
         static_cast<std::int64_t>(row.labels.size()) + reference::repeats(row.labels) > row.frames) {
    row.labels.pop_back();
  }
  return row;
}

void choose_options(Random& random, CtcCase& c) {
  c.variable = random.chance(0.3) ? CtcVariable::log_probs : CtcVariable::logits;
  c.layout = random.chance(0.3) ? CtcTargets::concatenated : CtcTargets::padded;
  c.reduction = random.pick({Reduction::none, Reduction::none, Reduction::sum, Reduction::mean});
  c.zero_infinity = random.chance(0.4);
  if (!random.chance(0.4)) return;
  const std::int64_t count = c.reduction == Reduction::none ? c.B : 1;
  for (std::int64_t i = 0; i < count; ++i) {
    c.upstream.push_back(random.pick({0.0F, 1.0F, -1.0F, 0.5F, 3.0F, static_cast<float>(random.gaussian())}));
  }
}

/// Rounds the problem to the type. Finite activations stay finite.
void narrow(CtcCase& c, Dtype dtype) {
  c.dtype = dtype;
  const auto largest = static_cast<float>(format_of(dtype).largest);
  for (float& a : c.activations)
    if (std::isfinite(a)) a = std::clamp(a, -largest, largest);
  round_to_dtype(c);
  for (float& weight : c.upstream) weight = rounded_to(dtype, double{weight});
}

}  // namespace

CtcCase CtcOperation::generate(Random& random, int size, const CtcProfile& profile) {
  CtcCase c;
  const bool is_long = size > 30 && random.chance(profile.long_rows);
  c.B = std::max<std::int64_t>(profile.min_rows, random.pick<std::int64_t>({1, 1, 2, 3, 4}));
  c.C = random.pick<std::int64_t>({1, 2, 3, 3, 4, 5, 7, 12, 28, 33});
  if (c.C == 1 && random.chance(0.7)) c.C = 3;
  c.blank = random.pick<std::int64_t>({0, 0, c.C - 1, random.integer(0, c.C - 1)});
  std::vector<Labels> targets;
  for (std::int64_t b = 0; b < c.B; ++b) {
    const DrawnRow row = some_row(random, c, size, is_long, profile);
    c.input_lengths.push_back(row.frames);
    targets.push_back(row.labels);
    c.T = std::max(c.T, row.frames);
  }
  if (random.chance(0.2)) c.T += random.integer(1, 3);
  choose_options(random, c);
  set_targets(c, targets, random.pick<std::int64_t>({-1, 0, c.blank, 1'000'000'007}));
  fill_activations(random, c, profile.minus_infinity);
  if (random.chance(profile.log_probs)) c = to_log_probs(std::move(c));
  if (random.chance(profile.half_types)) narrow(c, random.pick({Dtype::float16, Dtype::bfloat16}));
  return c;
}

}  // namespace assay::validation
