// Smaller problems to try after a failure: structure first (matrices, rows, columns, type), then values towards zero
// and few bits.
#include "validation/svd/operation.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "validation/svd/fields.h"

namespace assay::validation {
namespace {

using Shared = SharedCase<SvdCase>;
using Steps = Shrinks<SvdCase>;

void add_structure(Steps& steps, const Shared& c) {
  add_part_shrinks(steps, c, c->B, 1, select_matrices);
  add_part_shrinks(steps, c, c->M, 1, [](const SvdCase& d, const auto& which) { return select_rows(d, which); });
  add_part_shrinks(steps, c, c->N, 1, select_columns);
}

/// Divides all elements by the power of two that brings the largest near 1.
void normalise(SvdCase& c) {
  double largest = 0;
  for (std::int64_t b = 0; b < c.B; ++b) largest = std::max(largest, largest_element(c, b));
  if (!(largest > 0)) return;
  for (double& value : c.A) value = rounded_to<double>(c.dtype, std::ldexp(value, -std::ilogb(largest)));
}

}  // namespace

std::vector<Shrink<SvdCase>> SvdOperation::shrinks_of(const SvdCase& c) {
  Steps steps;
  const auto shared = std::make_shared<const SvdCase>(c);
  add_structure(steps, shared);
  add_dtype_shrink(steps, shared);
  add_shrink(steps, shared, normalise);
  add_value_shrinks(steps, shared);
  for (auto& step : steps) step = valid_only(std::move(step));
  return steps;
}

}  // namespace assay::validation
