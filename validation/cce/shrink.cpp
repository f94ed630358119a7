// Smaller problems to try after a failure: structure first (tokens, entries, columns, options), then values towards
// zero and few bits.
#include "validation/cce/operation.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "validation/cce/fields.h"

namespace assay::validation {
namespace {

using Shared = SharedCase<CceCase>;
using Steps = Shrinks<CceCase>;

/// Drops the entries [first, last) that are no targets, unless no entry with a finite bias would be left.
void drop_entries(CceCase& c, std::int64_t first, std::int64_t last) {
  std::vector<bool> is_kept(static_cast<std::size_t>(c.V), true);
  std::fill(is_kept.begin() + first, is_kept.begin() + last, false);
  for (const std::int64_t target : c.targets)
    if (target != c.ignore_index) is_kept[static_cast<std::size_t>(target)] = true;
  std::vector<std::int64_t> kept;
  for (std::int64_t v = 0; v < c.V; ++v)
    if (is_kept[static_cast<std::size_t>(v)]) kept.push_back(v);
  if (kept.empty() || std::ssize(kept) == c.V) return;
  CceCase smaller = select_entries(c, kept);
  const bool any_finite = smaller.bias.empty() || std::any_of(smaller.bias.begin(), smaller.bias.end(),
                                                              [](float b) { return std::isfinite(b); });
  if (any_finite) c = std::move(smaller);
}

void add_structure(Steps& steps, const Shared& c) {
  add_part_shrinks(steps, c, c->N, 0, select_tokens);
  for_each_part(c->V, [&](std::int64_t first, std::int64_t last) {
    add_shrink(steps, c, [=](CceCase& d) { drop_entries(d, first, last); });
  });
  if (c->H > 1) add_shrink(steps, c, [](CceCase& d) { d = keep_columns(d, 1); });
  for (std::int64_t cut = c->H / 2; cut >= 1; cut /= 2)
    add_shrink(steps, c, [=](CceCase& d) { d = keep_columns(d, d.H - cut); });
}

void add_bias(Steps& steps, const Shared& c) {
  add_shrink(steps, c, [](CceCase& d) {
    for (auto& bias : d.bias) bias = std::isfinite(bias) ? 0.0F : bias;
  });
  add_shrink(steps, c, [](CceCase& d) {
    for (auto& bias : d.bias) bias = std::isfinite(bias) ? bias : 0.0F;
  });
}

}  // namespace

std::vector<Shrink<CceCase>> CceOperation::shrinks_of(const CceCase& c) {
  Steps steps;
  const auto shared = std::make_shared<const CceCase>(c);
  add_structure(steps, shared);
  add_option_shrinks(steps, shared);
  add_bias(steps, shared);
  add_dtype_shrink(steps, shared);
  add_value_shrinks(steps, shared);
  for (auto& step : steps) step = valid_only(std::move(step));
  return steps;
}

}  // namespace assay::validation
