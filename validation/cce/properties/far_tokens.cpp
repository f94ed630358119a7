// Tokens whose hidden rows lie past 2^32 elements have the losses that they have in a batch of their own. The tokens
// before them are ignored, so that their memory is never touched: an offset of 32 bits reads zeros there.
#include <algorithm>
#include <span>
#include <vector>

#include "metal/emulator/memory/zeroed_pages.h"
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

/// The losses of the tokens of a case behind as many ignored tokens as it takes.
std::vector<float> far_losses(const CceKernel& kernel, const CceCase& c) {
  const std::int64_t ignored = (std::int64_t{1} << 32) / c.H + 1, N = ignored + c.N;
  const metal::emulator::ZeroedPages<float> hidden(static_cast<std::size_t>(N * c.H));
  std::ranges::copy(c.hidden, hidden.data() + ignored * c.H);
  std::vector<std::int64_t> targets(static_cast<std::size_t>(ignored), c.ignore_index);
  targets.insert(targets.end(), c.targets.begin(), c.targets.end());
  metal::AnyCceProblem problem{statement_of(c),
                               std::span<const float>(hidden.data(), static_cast<std::size_t>(N * c.H)),
                               std::span<const float>(c.weight), std::span<const float>(c.bias)};
  problem.options.N = N;
  problem.options.targets = targets;
  std::vector<float> losses(static_cast<std::size_t>(N));
  metal::AnyCceOutput out;
  out.loss = losses;
  kernel.run(problem, out, {});
  return {losses.end() - c.N, losses.end()};
}

Finding check(const CceContext& context, const CceCase& given) {
  CceCase c = given;
  c.reduction = Reduction::none;
  c.upstream.clear();
  if (!context.kernel.info().support.takes_views) return Finding::skip("the kernel does not take arrays in place");
  if (c.H < 1 << 12 || c.dtype != Dtype::float32)
    return Finding::skip("the case has no hidden rows of 2^12 elements in float32");
  const CceBounds bounds(c, context.kernel.info());
  const CceRun near = run_valid(context.kernel, c);
  const std::vector<float> far = far_losses(context.kernel, c);
  Comparison comparison;
  for (std::size_t n = 0; n < far.size(); ++n)
    comparison.near(loss_place(n), far[n], double{near.loss[n]}, 2 * bounds.loss(n));
  return comparison.finding();
}

}  // namespace

CceProperty far_tokens() {
  return {"far-tokens", "tokens past 2^32 elements have their losses", {}, check};
}

}  // namespace assay::validation::cce
