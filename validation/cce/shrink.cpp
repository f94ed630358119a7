#include "validation/cce/shrink.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace assay::validation {
namespace {

using Shared = std::shared_ptr<const CceCase>;
using Steps = std::vector<Shrink<CceCase>>;

template <class Change>
void add(Steps& steps, const Shared& from, Change change) {
  steps.push_back(shrink_step<CceCase>(from, change));
}

bool some_target_in(const CceCase& c, std::int64_t first, std::int64_t last) {
  return std::any_of(c.targets.begin(), c.targets.end(),
                     [&](std::int64_t target) { return target != c.ignore_index && target >= first && target < last; });
}

/// Leaves the words [first, last) out, where no target is among them and one with a finite bias is left.
void drop_words(CceCase& c, std::int64_t first, std::int64_t last) {
  if (last - first >= c.V || some_target_in(c, first, last)) return;
  CceCase smaller = select_words(c, all_but(c.V, first, last));
  const bool any_finite = smaller.bias.empty() || std::any_of(smaller.bias.begin(), smaller.bias.end(),
                                                              [](float b) { return std::isfinite(b); });
  if (any_finite) c = std::move(smaller);
}

void add_structure(Steps& steps, const Shared& c) {
  for_each_part(c->N, [&](std::int64_t first, std::int64_t last) {
    add(steps, c, [=](CceCase& d) { d = select_tokens(d, all_but(d.N, first, last)); });
  });
  for_each_part(c->V, [&](std::int64_t first, std::int64_t last) {
    add(steps, c, [=](CceCase& d) { drop_words(d, first, last); });
  });
  for (const std::int64_t count : {std::int64_t{1}, c->H / 2, c->H - 1})
    if (count >= 1 && count < c->H) add(steps, c, [=](CceCase& d) { d = keep_columns(d, count); });
}

void add_options(Steps& steps, const Shared& c) {
  add(steps, c, [](CceCase& d) { d.upstream.clear(); });
  add(steps, c, [](CceCase& d) {
    d.reduction = Reduction::none;
    d.upstream.clear();
  });
  add(steps, c, [](CceCase& d) { d.logit_softcap = 0; });
  add(steps, c, [](CceCase& d) { d.label_smoothing = 0; });
  add(steps, c, [](CceCase& d) { d.z_loss = 0; });
  add(steps, c, [](CceCase& d) { d.bias.clear(); });
  add(steps, c, [](CceCase& d) {
    for (auto& bias : d.bias) bias = std::isfinite(bias) ? 0.0F : bias;
  });
  add(steps, c, [](CceCase& d) {
    for (auto& bias : d.bias) bias = std::isfinite(bias) ? bias : 0.0F;
  });
  add(steps, c, [](CceCase& d) { d.dtype = Dtype::float32; });
}

void change_values(std::vector<float>& values, float (*change)(float)) {
  for (auto& value : values) value = change(value);
}

void add_values(Steps& steps, const Shared& c) {
  for (const auto member : {&CceCase::hidden, &CceCase::weight, &CceCase::bias, &CceCase::upstream}) {
    for (const auto change : {+[](float) { return 0.0F; }, +[](float a) { return std::isfinite(a) ? a : 0.0F; },
                              +[](float a) { return std::isfinite(a) ? std::round(a) : a; },
                              +[](float a) { return std::isfinite(a) ? std::round(a * 4) / 4 : a; }})
      add(steps, c, [=](CceCase& d) { change_values(d.*member, change); });
    if (((*c).*member).size() > 40) continue;
    for (std::size_t i = 0; i < ((*c).*member).size(); ++i) {
      add(steps, c, [=](CceCase& d) { (d.*member)[i] = 0.0F; });
      add(steps, c, [=](CceCase& d) { (d.*member)[i] = std::trunc((d.*member)[i] / 2) + 0.0F; });
    }
  }
}

}  // namespace

std::vector<Shrink<CceCase>> shrinks_of(const CceCase& c) {
  Steps steps;
  const auto shared = std::make_shared<const CceCase>(c);
  add_structure(steps, shared);
  add_options(steps, shared);
  add_values(steps, shared);
  for (auto& step : steps) step = valid_only(std::move(step));
  return steps;
}

}  // namespace assay::validation
