// A batch gives the same bits before and after a larger batch: a kernel keeps no state between calls.
#include "validation/core/properties.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

/// A batch of twice the matrices, each with its first row and first column repeated at the end.
SvdCase larger(const SvdCase& c) {
  const auto and_first = [](std::int64_t count) {
    std::vector<std::int64_t> which;
    for (std::int64_t i = 0; i < count; ++i) which.push_back(i);
    if (count > 0) which.push_back(0);
    return which;
  };
  std::vector<std::int64_t> twice;
  for (std::int64_t b = 0; b < 2 * c.B; ++b) twice.push_back(b % c.B);
  return select_columns(select_rows(select_matrices(c, twice), and_first(c.M)), and_first(c.N));
}

}  // namespace

SvdProperty two_shapes() {
  return validation::two_shapes<SvdOperation>(larger);
}

}  // namespace assay::validation::svd
