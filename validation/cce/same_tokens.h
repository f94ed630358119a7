// Tokens that are given again: the reference and the bounds compute each different one once.
#pragma once

#include <cstdint>
#include <vector>

#include "validation/cce/case.h"

namespace assay::validation {

/// The first token like each token n, n itself where there is none before: the same target and row of hidden. Ignored
/// tokens are like no other, and so are all of a case with an upstream gradient or a reduction. At most
/// needle_period tokens are found again.
std::vector<std::int64_t> first_same_tokens(const CceCase& c);

/// How many tokens are like each first one; 0 for those that are not the first.
std::vector<std::int64_t> counts_of(const std::vector<std::int64_t>& first_same);

}  // namespace assay::validation
