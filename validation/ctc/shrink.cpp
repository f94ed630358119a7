// Smaller problems to try after a failure: structure first (rows, frames, labels, classes, options), then values
// towards zero and few bits.
#include "validation/ctc/operation.h"

#include <memory>
#include <numeric>

#include "validation/ctc/fields.h"
#include "validation/ctc/shrink_structure.h"

namespace assay::validation {
namespace {

using Shared = SharedCase<CtcCase>;
using CtcShrink = Shrink<CtcCase>;

template <class Change>
CtcShrink step(const Shared& from, Change change) {
  return shrink_step<CtcCase>(from, change);
}

/// Adds steps that keep one row alone, then steps that leave one row out.
void add_rows(std::vector<CtcShrink>& steps, const Shared& c) {
  for (std::int64_t b = 0; b < c->B && c->B > 1; ++b) {
    steps.push_back(step(c, [b](CtcCase& d) { d = select_rows(d, {b}); }));
  }
  for (std::int64_t b = 0; b < c->B && c->B > 2; ++b) {
    steps.push_back(step(c, [b](CtcCase& d) {
      std::vector<std::int64_t> kept(static_cast<std::size_t>(d.B));
      std::iota(kept.begin(), kept.end(), std::int64_t{0});
      kept.erase(kept.begin() + b);
      d = select_rows(d, kept);
    }));
  }
}

void add_frames_and_labels(std::vector<CtcShrink>& steps, const Shared& c) {
  for (const std::int64_t spare : {0, 1}) {
    steps.push_back(step(c, [spare](CtcCase& d) { drop_unused_frames(d, spare); }));
  }
  for (std::int64_t b = 0; b < c->B; ++b) {
    const auto frames = c->input_lengths[static_cast<std::size_t>(b)];
    const auto labels = c->target_lengths[static_cast<std::size_t>(b)];
    for (const auto count : {frames / 2, frames - 1}) {
      steps.push_back(step(c, [=](CtcCase& d) { keep_last_frames(d, b, count); }));
      steps.push_back(step(c, [=](CtcCase& d) { keep_first_frames(d, b, count); }));
    }
    steps.push_back(step(c, [=](CtcCase& d) { keep_labels(d, b, labels / 2, labels); }));
    steps.push_back(step(c, [=](CtcCase& d) { keep_labels(d, b, 0, labels / 2); }));
    steps.push_back(step(c, [=](CtcCase& d) { keep_labels(d, b, 1, labels); }));
    steps.push_back(step(c, [=](CtcCase& d) { keep_labels(d, b, 0, labels - 1); }));
  }
}

void add_classes(std::vector<CtcShrink>& steps, const Shared& c) {
  steps.push_back(step(c, use_padded_targets));
  for (std::int64_t k = 0; k < c->C; ++k) {
    steps.push_back(step(c, [k](CtcCase& d) { drop_class(d, k); }));
  }
}

}  // namespace

std::vector<CtcShrink> CtcOperation::shrinks_of(const CtcCase& c) {
  std::vector<CtcShrink> steps;
  const auto shared = std::make_shared<const CtcCase>(c);
  add_rows(steps, shared);
  add_frames_and_labels(steps, shared);
  add_option_shrinks(steps, shared);
  add_classes(steps, shared);
  add_dtype_shrink(steps, shared);
  add_value_shrinks(steps, shared);
  return steps;
}

}  // namespace assay::validation
