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

bool some_target_in(const CceCase& c, std::int64_t first, std::int64_t last) {
  return std::any_of(c.targets.begin(), c.targets.end(),
                     [&](std::int64_t target) { return target != c.ignore_index && target >= first && target < last; });
}

/// Drops the entries [first, last) unless one of them is a target or no entry with a finite bias would be left.
void drop_entries(CceCase& c, std::int64_t first, std::int64_t last) {
  if (last - first >= c.V || some_target_in(c, first, last)) return;
  CceCase smaller = select_entries(c, all_but(c.V, first, last));
  const bool any_finite = smaller.bias.empty() || std::any_of(smaller.bias.begin(), smaller.bias.end(),
                                                              [](float b) { return std::isfinite(b); });
  if (any_finite) c = std::move(smaller);
}

void add_structure(Steps& steps, const Shared& c) {
  for_each_part(c->N, [&](std::int64_t first, std::int64_t last) {
    add_shrink(steps, c, [=](CceCase& d) { d = select_tokens(d, all_but(d.N, first, last)); });
  });
  for_each_part(c->V, [&](std::int64_t first, std::int64_t last) {
    add_shrink(steps, c, [=](CceCase& d) { drop_entries(d, first, last); });
  });
  for (const std::int64_t count : {std::int64_t{1}, c->H / 2, c->H - 1})
    if (count >= 1 && count < c->H) add_shrink(steps, c, [=](CceCase& d) { d = keep_columns(d, count); });
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
