// Given cases at the sizes people train with: T up to 2000, C up to 5000, logits scaled up to 50.
#pragma once

#include <vector>

#include "validation/ctc/operation.h"

namespace assay::validation {

/// One row of T frames, C classes and S labels without blank; logits are Gaussian times `scale`.
CtcCase sized_case(std::int64_t T, std::int64_t C, std::int64_t S, double scale, std::uint64_t seed);

}  // namespace assay::validation
