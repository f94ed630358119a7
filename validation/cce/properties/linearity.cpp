// Gradients are linear in upstream, token by token: those for g and for h add up to those for g + h, and a token with
// upstream 0 has dhidden 0. (A kernel that uses upstream[0] for all tokens is linear too; the zeros catch it.)
#include <functional>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

/// Upstream in setting `which`, 0, 1 or 2: setting 2 is the sum of the others. Powers of two and 0 make sums exact.
float upstream_of(std::size_t n, int which) {
  constexpr float first[] = {2, -1, 0, 0.5F, 0};
  constexpr float second[] = {-0.25F, 4, 1, 0, 0};
  return (which != 1 ? first[n % 5] : 0) + (which != 0 ? second[n % 5] : 0);
}

CceCase with_upstream(CceCase c, int which) {
  const std::size_t count = c.reduction == Reduction::none ? c.targets.size() : 1;
  c.upstream.resize(count);
  for (std::size_t n = 0; n < count; ++n) c.upstream[n] = upstream_of(n, which);
  return c;
}

struct Part {
  CceRun run;
  CceBounds bounds;
};

using Output = std::vector<float> CceRun::*;
using Bound = double (CceBounds::*)(std::size_t, double) const;
using Range = double (CceBounds::*)(std::size_t) const;

void compare_sum(Comparison& comparison, const Part& a, const Part& b, const Part& both, Output output, Bound bound,
                 Range range, const std::function<Place(std::size_t)>& place_of) {
  const auto allowed = [&](const Part& part, std::size_t i) { return (part.bounds.*bound)(i, (part.run.*output)[i]); };
  const auto is_huge = [&](const Part& part, std::size_t i) { return part.bounds.is_huge((part.run.*output)[i]); };
  for (std::size_t i = 0; i < (both.run.*output).size(); ++i) {
    if (is_huge(a, i) || is_huge(b, i) || is_huge(both, i)) continue;
    comparison.near(place_of(i), (both.run.*output)[i], double{(a.run.*output)[i]} + double{(b.run.*output)[i]},
                    allowed(a, i) + allowed(b, i) + allowed(both, i), (both.bounds.*range)(i));
  }
}

/// Rows of dhidden of tokens with weight 0 must be 0.
void expect_zeros_without_weight(Comparison& comparison, const CceCase& c, const CceRun& run) {
  for (std::int64_t n = 0; n < c.N; ++n) {
    if (c.token_weight(n) != 0) continue;
    for (std::int64_t h = 0; h < c.H; ++h) {
      const auto i = static_cast<std::size_t>(n * c.H + h);
      comparison.near(dhidden_place(c, i), run.dhidden[i], 0.0, 0);
    }
  }
}

Finding check_linearity(const CceContext& context, const CceCase& c) {
  const CceCase cases[] = {with_upstream(c, 0), with_upstream(c, 1), with_upstream(c, 2)};
  const auto part = [&](const CceCase& one) {
    return Part{run_valid(context.kernel, one), CceBounds(one, context.kernel.info())};
  };
  const Part first = part(cases[0]);
  const Part second = part(cases[1]);
  const Part both = part(cases[2]);
  Comparison comparison;
  expect_zeros_without_weight(comparison, cases[0], first.run);
  expect_zeros_without_weight(comparison, cases[1], second.run);
  compare_sum(comparison, first, second, both, &CceRun::dhidden, &CceBounds::dhidden, &CceBounds::dhidden_range,
              [&](std::size_t i) { return dhidden_place(c, i); });
  compare_sum(comparison, first, second, both, &CceRun::dweight, &CceBounds::dweight, &CceBounds::dweight_range,
              [&](std::size_t i) { return dweight_place(c, i); });
  compare_sum(comparison, first, second, both, &CceRun::dbias, &CceBounds::dbias, &CceBounds::dbias_range, dbias_place);
  return comparison.finding();
}

}  // namespace

CceProperty linearity() {
  return {"linearity", "gradients are linear in upstream, by token", {.many_tokens = 0.3}, check_linearity};
}

}  // namespace assay::validation::cce
