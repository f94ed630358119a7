// A problem of the SVD's gradient: the factors of a matrix, and the derivatives of L by the factors.
//
// L = <W, U g(S) Vh> with g(s) = s^3, which is <W, A A^T A>, for a W of Gaussian numbers: it does not depend on the
// choice of U and Vh that equal or zero singular values leave open.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/number/big_float.h"
#include "validation/core/guarded_output.h"
#include "validation/svd/kernel.h"
#include "validation/svd/truth.h"

namespace assay::validation {

/// One matrix [M, N]: U [M, K], S [K], Vh [K, N] in double, and the derivatives of L by them.
struct SvdGradientCase {
  std::int64_t M = 0, N = 0, K = 0;
  std::vector<double> U, S, Vh, dU, dS, dVh;

  metal::SvdCotangent<double> view() const { return {1, M, N, U, S, Vh, dU, dS, dVh}; }
};

/// The true factors of a matrix of `c`, rounded to double; no derivatives yet.
SvdGradientCase gradient_case(const SvdCase& c, const SvdMatrixTruth& truth);

/// Sets the derivatives of L by the factors of `f`: dU = W V g(S), dVh = g(S) U^T W, dS_k = g'(s_k) u_k^T W v_k.
void differentiate(SvdGradientCase& f);

/// dL/dA [M, N] for these factors and derivatives, by the reference.
std::vector<reference::BigFloat> exact_gradient(const SvdGradientCase& f, int digits);

/// The gradient of the kernel [M, N], NaN where the kernel writes nothing.
std::vector<double> run_gradient(const SvdKernel& kernel, const SvdGradientCase& f, metal::SvdGradientNotes& notes,
                                 Footprint& footprint);

}  // namespace assay::validation
