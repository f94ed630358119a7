// Needle cases (validation/core/reach.h): one large extent, and values by which each of its indices decides a result.
#include "validation/svd/operation.h"

#include <string_view>

namespace assay::validation {

/// Gaussian matrices; of a large batch no more than needle_period are different.
SvdCase SvdOperation::needle(std::string_view extent, std::int64_t size) {
  SvdCase c{1, 2, 2, Dtype::float32, {}};
  (extent == "B" ? c.B : extent == "M" ? c.M : c.N) = size;
  for (std::int64_t b = 0; b < c.B; ++b) {
    Random random(static_cast<std::uint64_t>(1 + b % needle_period));
    for (std::int64_t i = 0; i < c.M * c.N; ++i)
      c.A.push_back(static_cast<double>(static_cast<float>(random.gaussian())));
  }
  return c;
}

}  // namespace assay::validation
