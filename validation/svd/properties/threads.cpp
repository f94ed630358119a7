// The number of threads changes nothing, not in one bit.
#include <fmt/format.h>

#include "validation/svd/compare.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

Finding check(const SvdContext& context, const SvdCase& c) {
  const SvdRun one = run_valid(context.kernel, c, {.request = {.threads = 1}});
  for (const int threads : {2, 3, 7}) {
    const SvdRun run = run_valid(context.kernel, c, {.request = {.threads = threads}});
    Finding finding = same_bits(c, one, run, fmt::format("1 and {} threads give other bits", threads));
    if (is_failure(finding.verdict)) return finding;
  }
  return Finding::pass();
}

}  // namespace

SvdProperty threads() {
  return {"threads", "1, 2, 3 and 7 threads give the same bits", {.max_batch = 20}, check};
}

}  // namespace assay::validation::svd
