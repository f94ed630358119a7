#include "validation/svd/support.h"

#include <algorithm>

namespace assay::validation {

std::string why_not(const SvdSupport& support, const SvdCase& c) {
  const bool known_type = std::ranges::find(support.dtypes, c.dtype) != support.dtypes.end();
  return WhyNot()
      .unless(known_type, std::string(name_of(c.dtype)))
      .at_most(support.largest_B, "B", c.B)
      .at_most(support.largest_M, "M", c.M)
      .at_most(support.largest_N, "N", c.N)
      .unless(support.wide || c.M >= c.N, "wide matrices")
      .unless(support.tall || c.M <= c.N, "tall matrices")
      .unless(support.empty || (c.B > 0 && c.K() > 0), "no matrices, or matrices of nothing")
      .reason();
}

}  // namespace assay::validation
