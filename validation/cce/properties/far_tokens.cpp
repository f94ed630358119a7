// Tokens whose hidden rows lie past 2^32 elements have the results that they have in a batch of their own. The tokens
// before them are ignored: their rows are never touched, so that an offset of 32 bits reads zeros there, and their rows
// of dhidden are zeros that nobody reads (core/far_pages.h).
#include <algorithm>
#include <span>
#include <vector>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"
#include "validation/core/far_floats.h"

namespace assay::validation::cce {
namespace {

/// The results for the tokens of a case behind as many ignored tokens as it takes.
CceRun far_results(const CceKernel& kernel, const CceCase& c) {
  const std::int64_t ignored = (std::int64_t{1} << 32) / c.H + 1, N = ignored + c.N;
  const FarParts last{static_cast<std::size_t>(ignored * c.H), c.hidden.size()};
  const FarFloats hidden(last.first + last.size, last), dhidden(last.first + last.size, last);
  std::ranges::copy(c.hidden, hidden.part(0).begin());
  std::vector<std::int64_t> targets(static_cast<std::size_t>(ignored), c.ignore_index);
  targets.insert(targets.end(), c.targets.begin(), c.targets.end());
  metal::AnyCceProblem problem{statement_of(c), std::span<const float>(hidden.view()), std::span<const float>(c.weight),
                               std::span<const float>(c.bias)};
  problem.options.N = N;
  problem.options.targets = targets;
  CceRun run;
  run.loss.resize(static_cast<std::size_t>(N));
  run.dweight.resize(c.weight.size());
  run.dbias.resize(c.bias.size());
  metal::AnyCceOutput out;
  out.loss = run.loss;
  out.dhidden = dhidden.view();
  out.dweight = std::span(run.dweight);
  out.dbias = std::span(run.dbias);
  kernel.run(problem, out, {});
  run.loss.erase(run.loss.begin(), run.loss.end() - c.N);
  const auto tokens = dhidden.part(0);
  run.dhidden.assign(tokens.begin(), tokens.end());
  return run;
}

Finding check_far_tokens(const CceContext& context, const CceCase& given) {
  CceCase c = given;
  c.reduction = Reduction::none;
  c.upstream.clear();
  if (!context.kernel.info().support.takes_views) return Finding::not_claimed("take arrays in place");
  if (c.H < 1 << 12 || c.dtype != Dtype::float32)
    return Finding::skip("the case has no hidden rows of 2^12 elements in float32", SkipCause::wrong_kind);
  CceRunComparison comparison(c, context.kernel.info());
  comparison.all(far_results(context.kernel, c), run_valid(context.kernel, c));
  return comparison.finding();
}

}  // namespace

CceProperty far_tokens() {
  return {.name = "far-tokens",
          .claim = "loss and gradients of tokens past 2^32 elements",
          .profile = {},
          .check = check_far_tokens,
          .is_far = true};
}

}  // namespace assay::validation::cce
