// Smaller problems to try after a failure: structure first (rows, frames, labels, classes, options), then values
// towards zero and few bits.
#include "validation/ctc/operation.h"

#include <algorithm>
#include <memory>

#include "validation/ctc/fields.h"
#include "validation/ctc/shrink_structure.h"

namespace assay::validation {
namespace {

using Shared = SharedCase<CtcCase>;
using Steps = Shrinks<CtcCase>;

/// Adds the steps cut(c, rows, n, end) for all rows at once, then for halves of the rows and so on: first those that
/// halve the longest row, and in the end those that cut one frame or label.
template <class Cut>
void add_cuts(Steps& steps, const Shared& c, const std::vector<std::int64_t>& lengths, const Cut& cut) {
  const std::int64_t longest = lengths.empty() ? 0 : *std::ranges::max_element(lengths);
  const auto add = [&](std::int64_t n, CtcEnd end) {
    const auto for_rows = [&](std::int64_t first, std::int64_t last) {
      add_shrink(steps, c, [=](CtcCase& d) { cut(d, {first, last}, n, end); });
    };
    if (c->B > 1) for_rows(0, c->B);
    for_each_part(c->B, for_rows);
  };
  for (std::int64_t n = 2; longest > 0 && (n == 2 || n < 2 * longest); n *= 2)
    for (const CtcEnd end : {CtcEnd::front, CtcEnd::back}) add(n, end);
}

void add_structure(Steps& steps, const Shared& c) {
  add_part_shrinks(steps, c, c->B, 1, select_rows);
  for (const std::int64_t spare : {0, 1}) add_shrink(steps, c, [spare](CtcCase& d) { drop_unused_frames(d, spare); });
  add_cuts(steps, c, c->input_lengths, cut_frames);
  add_cuts(steps, c, c->target_lengths, cut_labels);
}

void add_classes(Steps& steps, const Shared& c) {
  add_shrink(steps, c, use_padded_targets);
  for_each_part(c->C, [&](std::int64_t first, std::int64_t last) {
    add_shrink(steps, c, [=](CtcCase& d) { drop_classes(d, first, last); });
  });
}

}  // namespace

std::vector<Shrink<CtcCase>> CtcOperation::shrinks_of(const CtcCase& c) {
  Steps steps;
  const auto shared = std::make_shared<const CtcCase>(c);
  add_structure(steps, shared);
  add_option_shrinks(steps, shared);
  add_classes(steps, shared);
  add_dtype_shrink(steps, shared);
  add_value_shrinks(steps, shared);
  return steps;
}

}  // namespace assay::validation
