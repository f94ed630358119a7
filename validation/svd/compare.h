// Holds runs of SVD kernels against the problem, and against each other.
#pragma once

#include <cstdint>
#include <string>

#include "validation/core/compare.h"
#include "validation/svd/bounds.h"
#include "validation/svd/fields.h"

namespace assay::validation {

Place value_place(std::int64_t b, std::int64_t k);

/// S[b, k] of a run is `sigma` within `bound`; infinite where it leaves the range of its type.
void hold_value(Comparison& comparison, const SvdCase& c, const SvdRun& run, std::int64_t b, std::int64_t k,
                double sigma, double bound);

/// U^T U = I, Vh Vh^T = I, in every element.
void hold_orthonormal_u(Comparison& comparison, const SvdCase& c, const SvdRun& run, const SvdBounds& bounds);
void hold_orthonormal_v(Comparison& comparison, const SvdCase& c, const SvdRun& run, const SvdBounds& bounds);

/// The singular values of a run are those of another, of a case that should have the same; `allowance` is what the
/// cases themselves differ by, in norm.
void hold_values(Comparison& comparison, const SvdKernelInfo& kernel, const SvdCase& c, const SvdRun& run,
                 const SvdCase& other, const SvdRun& of_other, double allowance = 0);

/// Whether S holds an infinity: the largest singular value left the range of its type.
bool overflowed(const SvdRun& run, std::int64_t b);

}  // namespace assay::validation
