// A matrix has the same values alone as in a batch, and in every bit the same factors where the kernel declares that.
#include <algorithm>

#include "validation/core/remembered.h"
#include "validation/svd/compare.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

/// Matrix b of a run, as a run of its own.
SvdRun select(const SvdRun& all, std::int64_t b) {
  SvdRun one;
  one.M = all.M;
  one.N = all.N;
  one.K = all.K;
  const auto part = [b](const std::vector<double>& values, std::int64_t size) {
    const auto first = values.begin() + b * size;
    return std::vector<double>(first, first + size);
  };
  one.U = part(all.U, all.M * all.K);
  one.S = part(all.S, all.K);
  one.Vh = part(all.Vh, all.K * all.N);
  return one;
}

Finding check_batch_singles(const SvdContext& context, const SvdCase& c) {
  const SvdOperation::RunOptions options{.request = {.aligned = true}};
  const SvdRun all = run_valid(context.kernel, c, options);
  Comparison comparison;
  Remembered<SvdCase, SvdRun> singles;
  for (std::int64_t b = 0; b < c.B; ++b) {
    const SvdCase single = select_matrix(c, b);
    const SvdRun& alone = singles.of(single, [&](const SvdCase& d) { return run_valid(context.kernel, d, options); });
    const SvdRun among = select(all, b);
    if (!context.kernel.info().batch_invariant) {  // it may order its sums by the size of the batch
      hold_values(comparison, context.kernel.info(), single, among, single, alone);
      continue;
    }
    Finding finding = same_bits(single, among, alone, "among others and alone, the matrix gives other bits");
    if (is_failure(finding.verdict)) return finding;
    for (std::int64_t k = 0; k < alone.K; ++k) comparison.near(value_place(b, k), all.s(b, k), alone.s(0, k), 0);
  }
  return comparison.finding();
}

}  // namespace

SvdProperty batch_singles() {
  return {
      "batch-singles", "alone a matrix is as in a batch, in bits if claimed", {.max_batch = 20}, check_batch_singles};
}

}  // namespace assay::validation::svd
