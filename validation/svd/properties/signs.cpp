// Where a kernel says that signs are canonical: of each column of U, the first of the largest elements is positive.
#include <fmt/format.h>

#include <cmath>

#include "validation/svd/properties/properties.h"
#include "validation/svd/run.h"

namespace assay::validation::svd {
namespace {

/// The first element among the largest of a column; those that rounding may have told apart count as equal.
bool some_largest_is_positive(const SvdRun& run, std::int64_t b, std::int64_t k, double roundoff) {
  double largest = 0;
  for (std::int64_t i = 0; i < run.M; ++i) largest = std::max(largest, std::abs(run.u(b, i, k)));
  for (std::int64_t i = 0; i < run.M; ++i) {
    const double element = run.u(b, i, k);
    if (std::abs(element) >= largest * (1 - 4 * roundoff)) {
      if (element > 0) return true;
      if (std::abs(element) == largest && largest > 0) {
        // The first of the largest as stored: only those before it, or as large before rounding, may decide.
        bool equals_follow = false;
        for (std::int64_t l = i + 1; l < run.M; ++l)
          equals_follow |= std::abs(run.u(b, l, k)) >= largest * (1 - 4 * roundoff) && run.u(b, l, k) > 0;
        return equals_follow;
      }
    }
  }
  return false;
}

Finding check(const SvdContext& context, const SvdCase& c) {
  if (!context.kernel.info().canonical_signs) return Finding::skip("the kernel does not say that signs are canonical");
  const SvdRun run = run_valid(context.kernel, c);
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t k = 0; k < run.K; ++k)
      if (!some_largest_is_positive(run, b, k, roundoff_of(c.dtype)))
        return Finding::fail(fmt::format("  U[b={}, :, k={}]: its largest element is not positive", b, k));
  return Finding::pass();
}

}  // namespace

SvdProperty signs() {
  return {"signs", "of each column of U the largest element is positive", {}, check};
}

}  // namespace assay::validation::svd
