// Needle cases (validation/core/reach.h): one large extent, and values by which each of its indices decides a result.
#include "validation/ctc/operation.h"

#include <algorithm>
#include <string_view>

namespace assay::validation {
namespace {

float gaussian(Random& random) {
  return static_cast<float>(random.gaussian());
}

CtcCase blank_case(std::int64_t T, std::int64_t B, std::int64_t C) {
  CtcCase c;
  c.T = T;
  c.B = B;
  c.C = C;
  c.input_lengths.assign(static_cast<std::size_t>(B), T);
  c.activations.assign(static_cast<std::size_t>(T * B * C), 0);
  return c;
}

/// Element i is element i - period, from `period` on.
template <class Iterator>
void repeat(Iterator begin, Iterator end, std::int64_t period) {
  for (Iterator from = begin; end - from > period; ++from) from[period] = *from;
}

/// Many short rows of one label, of which no more than needle_period are different.
CtcCase many_rows(std::int64_t B) {
  CtcCase c = blank_case(2, B, 4);
  c.S = 1;
  c.targets.assign(c.input_lengths.size(), 0);
  c.target_lengths.assign(c.input_lengths.size(), c.S);
  for (std::int64_t b = 0; b < std::min(B, needle_period); ++b) {
    const auto row = static_cast<std::size_t>(b);
    Random random(static_cast<std::uint64_t>(1 + b));
    if (random.chance(0.3)) c.input_lengths[row] = 1;
    c.targets[row] = random.integer(1, 3);
    for (std::int64_t t = 0; t < c.T; ++t)
      for (std::int64_t k = 0; k < c.C; ++k) c.activation(t, b, k) = gaussian(random);
  }
  repeat(c.input_lengths.begin(), c.input_lengths.end(), needle_period);
  repeat(c.targets.begin(), c.targets.end(), needle_period);
  for (std::int64_t t = 0; t < c.T; ++t)
    repeat(c.activations.begin() + t * B * c.C, c.activations.begin() + (t + 1) * B * c.C, needle_period * c.C);
  return c;
}

/// Row 0 spreads the probability over all classes, no class far below the others. Row 1 gives it to 64 of them, the
/// last among them: few terms have a small bound. The labels have the largest values; of an odd number of classes the
/// last is no label.
CtcCase many_classes(std::int64_t C) {
  constexpr float nothing = -200;
  CtcCase c = blank_case(2, 2, C);
  Random random(static_cast<std::uint64_t>(C));
  const std::int64_t last = C - 1 - C % 2;
  set_targets(c, {{last}, {last - 1, last}});
  for (std::int64_t t = 0; t < c.T; ++t) {
    for (std::int64_t k = 0; k < C; ++k) {
      c.activation(t, 0, k) = gaussian(random) / 8;
      c.activation(t, 1, k) = nothing;
    }
    for (const std::int64_t k : some_indices(C, 64)) c.activation(t, 1, k) = gaussian(random);
    for (const std::int64_t k : {last - 1, last}) c.activation(t, 1, k) = 1;
  }
  return c;
}

/// Each frame has one class of probability near 1: that of the path through all labels.
CtcCase sharp_path(std::int64_t T, std::int64_t S, std::int64_t C) {
  CtcCase c = blank_case(T, 1, C);
  Random random(static_cast<std::uint64_t>(T + S));
  std::vector<std::int64_t> labels;
  for (std::int64_t s = 0; s < S; ++s) labels.push_back(1 + s % (C - 1));
  set_targets(c, {labels});
  c.variable = T % 2 == 0 ? CtcVariable::logits : CtcVariable::log_probs;
  for (std::int64_t t = 0; t < T; ++t) {
    for (std::int64_t k = 0; k < C; ++k) c.activation(t, 0, k) = gaussian(random);
    c.activation(t, 0, labels[static_cast<std::size_t>(t * S / T)]) += 6;
  }
  return c;
}

}  // namespace

CtcCase CtcOperation::needle(std::string_view extent, std::int64_t size) {
  if (extent == "B") return many_rows(size);
  if (extent == "C") return many_classes(size);
  return extent == "T" ? sharp_path(size, 3, 5) : sharp_path(size + 1, size, 5);
}

}  // namespace assay::validation
