// Needle cases (validation/core/reach.h): one large extent, and values by which each of its indices decides a result.
#include "validation/svd/operation.h"

#include <string_view>

namespace assay::validation {

/// Of a large batch no more than needle_period matrices are different, and those are Gaussian; rows and columns of a
/// large matrix are of about one length, so that none is small beside the bound.
SvdCase SvdOperation::needle(std::string_view extent, std::int64_t size) {
  SvdCase c{1, 2, 2, Dtype::float32, {}};
  (extent == "B" ? c.B : extent == "M" ? c.M : c.N) = size;
  for (std::int64_t b = 0; b < c.B; ++b) {
    Random random(static_cast<std::uint64_t>(1 + b % needle_period));
    for (std::int64_t i = 0; i < c.M * c.N; ++i) {
      const double a = extent == "B" ? random.gaussian() : random.pick({-1, 1}) * random.real(0.8, 1.2);
      c.A.push_back(static_cast<double>(static_cast<float>(a)));
    }
  }
  return c;
}

}  // namespace assay::validation
