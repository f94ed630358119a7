// Cases for checks of CTC's gradient at extents past 1000, so sharp that each label, frame, class and row decides the
// result in turn: where one is left out, taken twice or mistaken for another, an element near 1 changes by about 1. On
// random input of these sizes the bounds are as wide as the gradient itself.
#include <fmt/format.h>

#include <algorithm>

#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

constexpr float peak = 20;  ///< ln of how much more probable a frame's class is than any other

/// T frames for S = T - 3 labels, each another than the one before. Nearly all the probability is on one path, on which
/// each label has a frame of its own, and three blanks lie between labels.
CtcCase sharp_path(std::int64_t T, std::int64_t C) {
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

std::vector<CtcNamedCase> CtcOperation::sharp_cases() {
  return {{"sharp case of 1027 labels", sharp_path(1030, 5), true},
          {"sharp case of 4099 frames", sharp_frames(4099), true},
          {"flat case of 1027 classes", flat(3, 2, 1027), true},
          {"flat case of 4101 classes", flat(2, 1, 4101), true},
          {"flat case of 1030 rows", flat(2, 1030, 3), true}};
}

}  // namespace assay::validation
