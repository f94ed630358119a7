// The classes of cases of linear cross-entropy.
#include "validation/cce/operation.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "validation/core/coverage.h"

namespace assay::validation {
namespace {

bool some_bias(const CceCase& c, bool (*predicate)(float)) {
  return std::any_of(c.bias.begin(), c.bias.end(), predicate);
}

/// An upper bound on |logit| without bias, from the factors of a token.
double largest_logit(const CceCase& c) {
  double largest = 0;
  for (std::int64_t n = 0; n < c.N; ++n) {
    for (std::int64_t v = 0; v < c.V && !c.is_ignored(n); ++v) {
      double logit = 0;
      for (std::int64_t h = 0; h < c.H; ++h) logit += double{c.hidden_at(n, h)} * double{c.weight_at(v, h)};
      largest = std::max(largest, std::abs(logit));
    }
  }
  return largest;
}

bool some_token(const CceCase& c, bool (*predicate)(const CceCase&, std::int64_t target)) {
  for (std::int64_t n = 0; n < c.N; ++n)
    if (!c.is_ignored(n) && predicate(c, c.targets[static_cast<std::size_t>(n)])) return true;
  return false;
}

const CaseClass<CceCase> all_classes[] = {
    {"one token", [](const CceCase& c) { return c.N == 1; }},
    {"7 tokens or more", [](const CceCase& c) { return c.N >= 7; }},
    {"one word", [](const CceCase& c) { return c.V == 1; }},
    {"200 words or more", [](const CceCase& c) { return c.V >= 200; }},
    {"1000 words or more", [](const CceCase& c) { return c.V >= 1000; }},
    {"V not a multiple of 8", [](const CceCase& c) { return c.V % 8 != 0; }},
    {"V a multiple of 8", [](const CceCase& c) { return c.V % 8 == 0; }},
    {"H not a multiple of 8", [](const CceCase& c) { return c.H % 8 != 0; }},
    {"H of 15 or more", [](const CceCase& c) { return c.H >= 15; }},
    {"some ignored", [](const CceCase& c) { return c.valid_tokens() > 0 && c.valid_tokens() < c.N; }},
    {"all ignored", [](const CceCase& c) { return c.N > 0 && c.valid_tokens() == 0; }},
    {"ignore_index is a word", [](const CceCase& c) { return c.ignore_index >= 0; }},
    {"a target twice",
     [](const CceCase& c) {
       return std::set<std::int64_t>(c.targets.begin(), c.targets.end()).size() < c.targets.size();
     }},
    {"bias", [](const CceCase& c) { return !c.bias.empty(); }},
    {"-inf bias", [](const CceCase& c) { return some_bias(c, [](float b) { return std::isinf(b); }); }},
    {"-inf bias first", [](const CceCase& c) { return !c.bias.empty() && std::isinf(c.bias[0]); }},
    {"-inf at a target",
     [](const CceCase& c) {
       return !c.bias.empty() && some_token(c, [](const CceCase& d, std::int64_t target) {
         return std::isinf(d.bias[static_cast<std::size_t>(target)]);
       });
     }},
    {"|bias| >= 1000",
     [](const CceCase& c) { return some_bias(c, [](float b) { return std::isfinite(b) && std::abs(b) >= 1000; }); }},
    {"|logit| >= 50", [](const CceCase& c) { return largest_logit(c) >= 50; }},
    {"float16", [](const CceCase& c) { return c.dtype == Dtype::float16; }},
    {"bfloat16", [](const CceCase& c) { return c.dtype == Dtype::bfloat16; }},
    {"softcap", [](const CceCase& c) { return c.has_softcap(); }},
    {"label smoothing", [](const CceCase& c) { return c.label_smoothing > 0; }},
    {"z-loss", [](const CceCase& c) { return c.z_loss > 0; }},
    {"upstream given", [](const CceCase& c) { return !c.upstream.empty(); }},
    {"sum", [](const CceCase& c) { return c.reduction == Reduction::sum; }},
    {"mean", [](const CceCase& c) { return c.reduction == Reduction::mean; }},
};

}  // namespace

std::span<const CaseClass<CceCase>> CceOperation::case_classes() {
  return all_classes;
}

}  // namespace assay::validation
