// Bounds on the rounding errors of a correct kernel's factors. Derivations: docs/bounds.md.
//
// With u the unit roundoff inside, v that of the type of U and Vh, v_S that of S, s the kernel's sweeps, L = max(M, N):
//
//   e           = (4 sqrt(s K + L) + 8) u       the error of all rotations of a column (Higham and Mary 2019)
//   g           = s (K - 1) u / 4               the drift of a column's length, where rotations round one way
//   d           = e + v + sqrt(L) smallest      a stored column
//
//   orthogonal    |(U^T U)_ij|, |(Vh Vh^T)_ij|, i != j   <= 2 d + d^2
//   unit length   |(U^T U)_ii - 1|, |(Vh Vh^T)_ii - 1|   <= 2 (d + g) + (d + g)^2
//   residual      ||A - U S Vh||_F                       <= (e + 2 d + 2 g + v_S) (1 + d + g)^2 ||A||_F
//   values        |S_k - sigma_k|                        <= e ||A||_F + (g + v_S) sigma_k                 (Weyl)
//   graded        |S_k - sigma_k| / sigma_k              <= e sqrt(K) / sigma_min(C) + g + v_S
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

  /// Bound on |(U^T U)_ij| and |(Vh Vh^T)_ij|, i != j.
  double orthogonal() const { return 2 * stored_ + stored_ * stored_; }

  /// Bound on |(U^T U)_ii - 1| and |(Vh Vh^T)_ii - 1|.
  double unit_length() const { return (2 + stored_ + drift_) * (stored_ + drift_); }

  /// Bound on ||A_b - U S Vh||_F.
  double residual(std::int64_t b) const;

  /// Bound on |S[b, k] - sigma|.
  double value(std::int64_t b, double sigma) const {
    return frobenius_norm(case_, b, rotations_) + drift_ * sigma + rounded(sigma);
  }

  /// The bound on |S[b, k] - sigma| for a kernel that claims graded accuracy and a sigma in the range of the claim.
  /// `condition` is sqrt(K) / sigma_min of the scaled matrix.
  double graded(double sigma, double condition) const {
    return (rotations_ * condition + drift_) * sigma + rounded(sigma);
  }

  /// The error of rounding a singular value to its type.
  double rounded(double sigma) const;

  /// e: the relative error of a column before it is stored.
  double rotations() const { return rotations_; }

  /// g: the relative drift of a column's length.
  double drift() const { return drift_; }

 private:
  const SvdCase& case_;
  double rotations_;
  double drift_;
  double stored_;
};

}  // namespace assay::validation
