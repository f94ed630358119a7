// A matrix has the same factors alone as in a batch, in every bit.
#include <algorithm>

#include "validation/svd/compare.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

/// Matrix b of a run, as a run of its own.
SvdRun select(const SvdRun& all, std::int64_t b) {
  SvdRun one = all;
  const auto part = [b](const std::vector<double>& values, std::int64_t size) {
    const auto first = values.begin() + b * size;
    return std::vector<double>(first, first + size);
  };
  one.U = part(all.U, all.M * all.K);
  one.S = part(all.S, all.K);
  one.Vh = part(all.Vh, all.K * all.N);
  return one;
}

Finding check(const SvdContext& context, const SvdCase& c) {
  const SvdRun all = run_valid(context.kernel, c);
  for (std::int64_t b = 0; b < c.B; ++b) {
    const SvdCase single = select_matrix(c, b);
    Finding finding = same_bits(single, select(all, b), run_valid(context.kernel, single),
                                "among others and alone, the matrix gives other bits");
    if (is_failure(finding.verdict)) return finding;
  }
  return Finding::pass();
}

}  // namespace

SvdProperty batch_singles() {
  return {"batch-singles", "a matrix gives the same bits alone and in a batch", {.max_batch = 20}, check};
}

}  // namespace assay::validation::svd
