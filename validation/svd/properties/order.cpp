// Singular values descend, and none is negative or NaN.
#include <fmt/format.h>

#include "validation/svd/compare.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

Finding check_order(const SvdContext& context, const SvdCase& c) {
  const SvdRun run = run_valid(context.kernel, c);
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t k = 0; k < run.K; ++k) {
      const double value = run.s(b, k);
      if (!(value >= 0)) return Finding::fail(fmt::format("  {} = {}", value_place(b, k).text(), value));
      if (k > 0 && !(value <= run.s(b, k - 1)))
        return Finding::fail(fmt::format("  {} = {} after {}", value_place(b, k).text(), value, run.s(b, k - 1)));
    }
  }
  return Finding::pass();
}

}  // namespace

SvdProperty order() {
  return {"order", "S descends, and none is negative", {}, check_order};
}

}  // namespace assay::validation::svd
