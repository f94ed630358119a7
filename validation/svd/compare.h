// Compares runs of SVD kernels with the problem and with each other.
#pragma once

#include <cstdint>
#include <string>

#include "validation/core/compare.h"
#include "validation/svd/bounds.h"
#include "validation/svd/fields.h"

namespace assay::validation {

Place value_place(std::int64_t b, std::int64_t k);

/// Checks that S[b, k] of a run is `sigma` within `bound`, or infinite if `sigma` leaves the range of the type of S.
void hold_value(Comparison& comparison, const SvdCase& c, const SvdRun& run, std::int64_t b, std::int64_t k,
                double sigma, double bound);

/// Checks every element of U^T U = I, or of Vh Vh^T = I.
void hold_orthonormal_u(Comparison& comparison, const SvdCase& c, const SvdRun& run, const SvdBounds& bounds);
void hold_orthonormal_v(Comparison& comparison, const SvdCase& c, const SvdRun& run, const SvdBounds& bounds);

/// Compares the singular values of two runs on cases that should have the same; `allowance` is the norm of the
/// difference between the cases.
void hold_values(Comparison& comparison, const SvdKernelInfo& kernel, const SvdCase& c, const SvdRun& run,
                 const SvdCase& other, const SvdRun& of_other, double allowance = 0);

/// Whether S holds an infinity: the largest singular value left the range of its type.
bool overflowed(const SvdRun& run, std::int64_t b);

}  // namespace assay::validation
