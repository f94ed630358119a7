// Cases of CTC that generation does not reach: at the sizes people train with (T up to 2000, C up to 5000, logits
// scaled up to 50), a certain path of more labels than a block of threads has states, needle cases
// (validation/core/reach.h), and sharp cases for checks of the gradient at extents past 1000.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "validation/ctc/operation.h"

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

// Sharp cases: each label, frame, class and row decides the result in turn. Where one is left out, taken twice or
// mistaken for another, an element near 1 changes by about 1. On random input of these sizes the bounds are as wide as
// the gradient itself.

constexpr float peak = 20;  ///< ln of how much more probable a frame's class is than any other

/// T frames for S = T - 3 labels, each another than the one before. Nearly all the probability is on one path, on which
/// each label has a frame of its own, and three blanks lie between labels.
CtcCase sharp_labels(std::int64_t T, std::int64_t C) {
  Random random(static_cast<std::uint64_t>(T));
  CtcCase c;
  c.T = T;
  c.C = C;
  c.B = 1;
  c.input_lengths = {T};
  std::vector<std::int64_t> labels, path;
  for (std::int64_t t = 0; t < T; ++t) {
    const bool is_blank = t == 1 || t == T / 2 || t == T - 2;
    if (!is_blank) labels.push_back(1 + (labels.empty() ? 0 : labels.back() - 1 + random.integer(1, C - 2)) % (C - 1));
    path.push_back(is_blank ? c.blank : labels.back());
  }
  set_targets(c, {labels});
  for (std::int64_t t = 0; t < T; ++t)
    for (std::int64_t k = 0; k < C; ++k)
      c.activations.push_back((k == path[static_cast<std::size_t>(t)] ? peak : 0) +
                              static_cast<float>(random.gaussian()));
  return c;
}

/// Two labels in many frames: the first while it lasts, then the second.
CtcCase sharp_frames(std::int64_t T) {
  CtcCase c;
  c.T = T;
  c.C = 3;
  c.B = 1;
  c.input_lengths = {T};
  set_targets(c, {{1, 2}});
  for (std::int64_t t = 0; t < T; ++t)
    for (std::int64_t k = 0; k < c.C; ++k) c.activations.push_back(k == (t < T - 2 ? 1 : 2) ? peak : 0);
  return c;
}

/// Frames in which all classes are about equally probable, so that a sum lacks a part if it lacks one of them, and a
/// last frame for the last class. Rows of one label each, the row's own where there are many.
CtcCase flat(std::int64_t T, std::int64_t B, std::int64_t C) {
  Random random(static_cast<std::uint64_t>(B * C));
  CtcCase c;
  c.T = T;
  c.B = B;
  c.C = C;
  c.input_lengths.assign(static_cast<std::size_t>(B), T);
  std::vector<std::vector<std::int64_t>> labels;
  for (std::int64_t b = 0; b < B; ++b) labels.push_back({C - 1 - b % (C - 1)});
  set_targets(c, labels);
  for (std::int64_t i = 0; i < T * B * C; ++i)
    c.activations.push_back(static_cast<float>(random.gaussian()) / 4 + (i == T * B * C - 1 ? peak / 4 : 0));
  for (std::int64_t b = 0; b < B; ++b) c.upstream.push_back(1 + static_cast<float>(b % 7) / 8);
  return c;
}

}  // namespace

CtcCase CtcOperation::sized_case(std::int64_t T, std::int64_t C, std::int64_t S, double scale, std::uint64_t seed) {
  Random random(seed);
  CtcCase c;
  c.T = T;
  c.B = 1;
  c.C = C;
  c.input_lengths = {T};
  std::vector<std::int64_t> labels;
  for (std::int64_t s = 0; s < S; ++s) labels.push_back(random.integer(1, C - 1));
  set_targets(c, {labels});
  for (std::int64_t i = 0; i < T * C; ++i) c.activations.push_back(static_cast<float>(scale * random.gaussian()));
  return c;
}

std::vector<GivenCase> CtcOperation::sized_cases() {
  struct Size {
    std::int64_t T, C, S;
    double scale;
  };
  const Size sizes[] = {{150, 28, 75, 1},   {150, 5000, 75, 1},  {150, 28, 75, 50},
                        {2000, 64, 400, 1}, {2000, 64, 200, 50}, {2000, 64, 400, 50}};
  std::vector<GivenCase> cases;
  for (const Size& size : sizes) {
    cases.push_back({fmt::format("T={} C={} S={} logits x{}", size.T, size.C, size.S, size.scale),
                     sized_case(size.T, size.C, size.S, size.scale, 7), true});
  }
  cases.push_back({"T=523 C=64 S=520, one path nearly certain", sharp_labels(523, 64), true});
  return cases;
}

CtcCase CtcOperation::needle(std::string_view extent, std::int64_t size) {
  if (extent == "B") return many_rows(size);
  if (extent == "C") return many_classes(size);
  return extent == "T" ? sharp_path(size, 3, 5) : sharp_path(size + 1, size, 5);
}

std::vector<CtcNamedCase> CtcOperation::sharp_cases() {
  return {{"sharp case of 1027 labels", sharp_labels(1030, 5)},
          {"sharp case of 4099 frames", sharp_frames(4099)},
          {"flat case of 1027 classes", flat(3, 2, 1027)},
          {"flat case of 4101 classes", flat(2, 1, 4101)},
          {"flat case of 1030 rows", flat(2, 1030, 3)}};
}

}  // namespace assay::validation
