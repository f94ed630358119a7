// If a kernel claims canonical signs, the first of the largest elements of each column of U is positive.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validation/svd/fields.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

/// Whether one of a column's largest elements is positive. Elements that differ by rounding alone count as equal.
bool some_largest_is_positive(const SvdRun& run, std::int64_t b, std::int64_t k, double roundoff) {
  double largest = 0, largest_positive = 0;
  for (std::int64_t i = 0; i < run.M; ++i) {
    largest = std::max(largest, std::abs(run.u(b, i, k)));
    largest_positive = std::max(largest_positive, run.u(b, i, k));
  }
  return largest_positive > 0 && largest_positive >= largest * (1 - 4 * roundoff);
}

Finding check_signs(const SvdContext& context, const SvdCase& c) {
  if (!context.kernel.info().canonical_signs) return Finding::not_claimed("say that signs are canonical");
  const SvdRun run = run_valid(context.kernel, c);
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t k = 0; k < run.K; ++k)
      if (!some_largest_is_positive(run, b, k, format_of(c.dtype).roundoff))
        return Finding::fail(fmt::format("  U[b={}, :, k={}]: its largest element is not positive", b, k));
  return Finding::pass();
}

}  // namespace

SvdProperty signs() {
  return {"signs", "the largest of each column of U is positive", {}, check_signs};
}

}  // namespace assay::validation::svd
