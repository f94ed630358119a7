// Smaller problems to try once one has failed: structure first (matrices, rows, columns, type), then values towards
// zero and few bits.
#pragma once

#include <vector>

#include "validation/core/shrink.h"
#include "validation/svd/case.h"

namespace assay::validation {

/// The steps to try on `c`, the boldest first. Every result is a valid problem that differs from `c`.
std::vector<Shrink<SvdCase>> shrinks_of(const SvdCase& c);

}  // namespace assay::validation
