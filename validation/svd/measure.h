// The errors of factors: deviations from orthonormality and from the matrix.
//
// Computed in long double, if it has more digits than double, and scaled by a power of two, so that no float32 or
// float64 input over- or underflows.
#pragma once

#include <cstdint>

#include "validation/svd/fields.h"

namespace assay::validation {

/// (U^T U)_kl of matrix b.
double u_product(const SvdRun& run, std::int64_t b, std::int64_t k, std::int64_t l);

/// (Vh Vh^T)_kl of matrix b.
double v_product(const SvdRun& run, std::int64_t b, std::int64_t k, std::int64_t l);

/// (A_b - U diag(S) Vh)_ij.
double residual(const SvdCase& c, const SvdRun& run, std::int64_t b, std::int64_t i, std::int64_t j);

/// ||A_b - U diag(S) Vh||_F; NaN or infinite if an element is.
double residual_norm(const SvdCase& c, const SvdRun& run, std::int64_t b);

/// ||A_b v_k|| and ||A_b^T u_k||: both are sigma_k in exact arithmetic.
double image_of_v(const SvdCase& c, const SvdRun& run, std::int64_t b, std::int64_t k);
double image_of_u(const SvdCase& c, const SvdRun& run, std::int64_t b, std::int64_t k);

}  // namespace assay::validation
