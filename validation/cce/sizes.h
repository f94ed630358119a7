// Given cases beyond the sizes that are generated: vocabularies of whole chunks and a bit, hidden sizes of whole tiles.
#pragma once

#include <vector>

#include "validation/cce/operation.h"

namespace assay::validation {

/// N tokens of H Gaussian elements and V words; logits have the standard deviation `scale`.
CceCase sized_cce_case(std::int64_t N, std::int64_t H, std::int64_t V, double scale, Dtype dtype, std::uint64_t seed);

}  // namespace assay::validation
