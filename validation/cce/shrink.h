// Smaller problems to try once one has failed: structure first (tokens, words, columns, options), then values towards
// zero and few bits.
#pragma once

#include <vector>

#include "validation/cce/case.h"
#include "validation/core/shrink.h"

namespace assay::validation {

/// The steps to try on `c`, the boldest first. Every result is a valid problem that differs from `c`.
std::vector<Shrink<CceCase>> shrinks_of(const CceCase& c);

}  // namespace assay::validation
