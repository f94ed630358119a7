// Entries whose rows of weight lie past 2^32 elements give the results that they give in a vocabulary of their own. The
// entries before them have a bias of -inf, so that their probability is 0: their rows are zeros, and their rows of
// dweight are zeros that nobody reads (core/far_pages.h).
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"
#include "validation/core/far_floats.h"

namespace assay::validation::cce {
namespace {

/// The results for the entries of a case behind as many entries of probability 0 as it takes.
CceRun far_entry_results(const CceKernel& kernel, const CceCase& c, std::int64_t impossible) {
  const std::int64_t V = impossible + c.V;
  const FarParts last{static_cast<std::size_t>(impossible * c.H), c.weight.size()};
  const FarFloats weight(last.first + last.size, last), dweight(last.first + last.size, last);
  std::ranges::copy(c.weight, weight.part(0).begin());
  std::vector<float> bias(static_cast<std::size_t>(impossible), -std::numeric_limits<float>::infinity());
  bias.insert(bias.end(), c.bias.begin(), c.bias.end());
  std::vector<std::int64_t> targets;
  for (std::int64_t n = 0; n < c.N; ++n)
    targets.push_back(c.is_ignored(n) ? -1 : c.targets[static_cast<std::size_t>(n)] + impossible);
  metal::AnyCceProblem problem{statement_of(c), std::span<const float>(c.hidden), std::span<const float>(weight.view()),
                               std::span<const float>(bias)};
  problem.options.V = V;
  problem.options.targets = targets;
  problem.options.ignore_index = -1;
  CceRun run;
  run.loss.resize(static_cast<std::size_t>(c.N));
  run.dhidden.resize(c.hidden.size());
  std::vector<float> dbias(bias.size());
  metal::AnyCceOutput out;
  out.loss = run.loss;
  out.dhidden = std::span(run.dhidden);
  out.dweight = dweight.view();
  out.dbias = std::span(dbias);
  kernel.run(problem, out, {});
  const auto entries = dweight.part(0);
  run.dweight.assign(entries.begin(), entries.end());
  run.dbias.assign(dbias.end() - c.V, dbias.end());
  return run;
}

Finding check_far_entries(const CceContext& context, const CceCase& given) {
  CceCase c = given;
  c.reduction = Reduction::none;
  c.upstream.clear();
  c.label_smoothing = c.logit_softcap = 0;  // either would give the entries before a part in the loss
  c.bias.resize(static_cast<std::size_t>(c.V), 0);
  c.N = std::min<std::int64_t>(c.N, 2);  // each token costs 2^32 products, some times
  c.targets.resize(static_cast<std::size_t>(c.N));
  c.hidden.resize(static_cast<std::size_t>(c.N * c.H));
  const Support& support = context.kernel.info().support;
  if (!support.takes_views) return Finding::not_claimed("take arrays in place");
  if (c.H < 1 << 12 || c.dtype != Dtype::float32)
    return Finding::skip("the case has no rows of weight of 2^12 elements in float32", SkipCause::wrong_kind);
  const std::int64_t impossible = (std::int64_t{1} << 32) / c.H + 1;
  if (const auto limit = support.limits.find("V"); limit != support.limits.end() && impossible + c.V > limit->second)
    return Finding::not_claimed(fmt::format("do V > {}", limit->second));
  CceRunComparison comparison(c, context.kernel.info());
  const CceRun near = run_valid(context.kernel, c);
  comparison.all(far_entry_results(context.kernel, c, impossible), near);
  return comparison.finding();
}

}  // namespace

CceProperty far_entries() {
  return {.name = "far-entries",
          .claim = "loss and gradients of entries past 2^32 elements",
          .profile = {},
          .check = check_far_entries,
          .is_far = true};
}

}  // namespace assay::validation::cce
