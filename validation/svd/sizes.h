// Sizes that generated matrices do not reach.
#pragma once

#include <cstdint>
#include <vector>

#include "validation/svd/operation.h"

namespace assay::validation {

/// Gaussian matrices; `decades` above 0 grades their columns (rows, of wide ones) over so many, in mixed order.
SvdCase sized_svd_case(std::int64_t B, std::int64_t M, std::int64_t N, double decades, Dtype dtype, std::uint64_t seed);

}  // namespace assay::validation
