// The gradient of a function of U, S and Vh with respect to A, on CPUs.
//
//   U, S, Vh of reference/svd/problem.h,  dL/dU [B, M, K],  dL/dS [B, K],  dL/dVh [B, K, N]  ->  dL/dA [B, M, N]
//
// With P = U^T dL/dU and Q = Vh (dL/dVh)^T, both [K, K], P~ and Q~ their antisymmetric parts X - X^T (Ionescu, Vantzos
// and Sminchisescu 2015; Townsend 2016, with E_ij = s_j^2 - s_i^2 split into its two factors):
//
//   dL/dA = U (diag(dL/dS) + X) Vh + (I - U U^T) dL/dU diag(1/S) Vh + U diag(1/S) dL/dVh (I - Vh^T Vh)
//   X_ij  = ((P~_ij + Q~_ij) / (s_j - s_i) + (P~_ij - Q~_ij) / (s_j + s_i)) / 2,   X_ii = 0
//
// The gradient exists where L does not depend on the choice of U and Vh that equal or zero singular values leave open;
// then the first numerator is 0 where s_i = s_j, so these inputs do not determine that term. It is taken as 0, and
// counted.
#pragma once

#include <cstdint>
#include <span>

#include "metal/cpu/half.h"
#include "metal/cpu/svd/svd.h"
#include "reference/svd/problem.h"

namespace assay::metal {

/// Thin factors and the derivatives of L with respect to them. An empty derivative means zeros.
template <class Real>
struct SvdCotangent {
  std::int64_t B = 0;
  std::int64_t M = 1;
  std::int64_t N = 1;
  std::span<const Real> U;                            ///< [B, M, K]
  std::span<const reference::SingularValue<Real>> S;  ///< [B, K]
  std::span<const Real> Vh;                           ///< [B, K, N]
  std::span<const Real> dU;
  std::span<const reference::SingularValue<Real>> dS;
  std::span<const Real> dVh;
};

/// The terms of dL/dA that were taken as 0 instead of dividing by zero.
struct SvdGradientNotes {
  std::int64_t equal_values = 0;  ///< pairs i < j with s_i = s_j whose terms were taken as 0
  std::int64_t zero_values = 0;   ///< s_i = 0 of a matrix that is not square, whose 1 / s_i was taken as 0
};

/// Writes every element of dA [B, M, N]. Computes in double. Throws std::invalid_argument for an array of another size
/// than stated above and for an element that is not finite.
template <class Real>
SvdGradientNotes svd_gradient(const SvdCotangent<Real>& cotangent, std::span<Real> dA,
                              const SvdCpuOptions& options = {});

}  // namespace assay::metal
