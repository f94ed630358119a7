// Pictures of a kernel's errors on a case: the errors of the gradients, element by element.
#include <cmath>

#include "validation/cce/compare.h"
#include "validation/cce/operation.h"
#include "validation/core/number.h"

namespace assay::validation {
namespace {

/// The largest N H V with pictures: for a larger case the reference takes seconds.
constexpr std::int64_t max_products = 2'000'000;

double share(float got, const BigFloat& exact, double bound) {
  return same_kind(BigFloat(got), exact) ? 0 : share_of_bound(absolute_difference(BigFloat(got), exact), bound);
}

}  // namespace

std::vector<Picture> CceOperation::pictures(const CceKernel& kernel, const CceCase& c, int digits) {
  if (c.N * c.H * c.V > max_products) return {};
  const CceTruth truth = validation::truth_of(c, digits);
  const CceBounds bounds(c, kernel.info());
  const CceRun run = run_valid(kernel, c);
  const auto at = [&](std::int64_t row, std::int64_t h) { return static_cast<std::size_t>(row * c.H + h); };
  const auto dhidden = [&](std::int64_t n, std::int64_t h) {
    const BigFloat exact = truth.dhidden[at(n, h)];
    return share(run.dhidden[at(n, h)], exact, bounds.dhidden(at(n, h), to_double(exact)));
  };
  const auto dweight = [&](std::int64_t v, std::int64_t h) {
    const BigFloat exact = truth.dweight[at(v, h)];
    return share(run.dweight[at(v, h)], exact, bounds.dweight(at(v, h), to_double(exact)));
  };
  return {picture_of("error of dhidden as a share of its bound", "token n", "column h", c.N, c.H, dhidden),
          picture_of("error of dweight as a share of its bound", "entry v", "column h", c.V, c.H, dweight)};
}

}  // namespace assay::validation
