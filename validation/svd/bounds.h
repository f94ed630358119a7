// Bounds on the rounding errors of a correct kernel's factors. Derivations: docs/bounds.md.
//
// With u the unit roundoff inside, v that of the type of U and Vh, v_S that of S, s the kernel's sweeps, L = max(M, N):
//
//   e           = (4 sqrt(s K + L) + 8) u       the error of all rotations of a column (Higham and Mary 2019)
//   d           = e + v + sqrt(L) smallest      a stored column
//
//   orthonormal   |(U^T U - I)_ij|, |(Vh Vh^T - I)_ij|   <= 2 d + d^2
//   residual      ||A - U S Vh||_F                       <= (e + 2 d + v_S) (1 + d)^2 ||A||_F
//   values        |S_k - sigma_k|                        <= e ||A||_F + v_S sigma_k                       (Weyl)
//   graded        |S_k - sigma_k| / sigma_k              <= e sqrt(K) / sigma_min(C) + v_S
//                 with C the matrix, its columns (tall) or rows (wide) scaled to norm 1
//                 (Demmel and Veselic 1992, theorem 2.14)
//
// plus half the smallest number of S's type for underflow.
#pragma once

#include <cstdint>

#include "validation/svd/case.h"
#include "validation/svd/kernel.h"

namespace assay::validation {

class SvdBounds {
 public:
  SvdBounds(const SvdCase& c, const SvdKernelInfo& kernel);

  /// Bound on |(U^T U - I)_ij| and |(Vh Vh^T - I)_ij|.
  double orthonormal() const { return 2 * stored_ + stored_ * stored_; }

  /// Bound on ||A_b - U S Vh||_F.
  double residual(std::int64_t b) const;

  /// Bound on |S[b, k] - sigma|.
  double value(std::int64_t b, double sigma) const { return frobenius_norm(case_, b, rotations_) + rounded(sigma); }

  /// The bound on |S[b, k] - sigma| for a kernel that claims graded accuracy and a sigma in the range of the claim.
  /// `condition` is sqrt(K) / sigma_min of the scaled matrix.
  double graded(double sigma, double condition) const { return rotations_ * condition * sigma + rounded(sigma); }

  /// The error of rounding a singular value to its type.
  double rounded(double sigma) const;

  /// e: the relative error of a column before it is stored.
  double rotations() const { return rotations_; }

 private:
  const SvdCase& case_;
  double rotations_;
  double stored_;
};

}  // namespace assay::validation
