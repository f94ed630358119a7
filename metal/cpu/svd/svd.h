// The singular value decomposition of a batch of matrices on CPUs, by one-sided Jacobi rotations.
//
//   A [B, M, N]  ->  U [B, M, K], S [B, K], Vh [B, K, N],   A_b = U_b diag(S_b) Vh_b,   K = min(M, N)
//
// Elements are float, double, Half or BFloat16; singular values are double for double, else float. Types of 16 bits are
// computed in float and rounded once, at the end. reference/svd/problem.h states the problem.
//
//   whatever the rank     the columns of U and the rows of Vh are orthonormal to working precision
//   any scale             A times a power of two gives the same bits of U and Vh, and S times that power, as long as
//                         neither A nor S leaves the range of its type
//   signs                 of each column of U, the first of the elements of largest magnitude is positive
//   graded columns        of a tall matrix B diag(d), or graded rows of a wide one, every singular value is accurate
//                         relative to itself, to a multiple of the condition of B (Demmel and Veselic 1992), down to
//                         1e-27 of the largest in float, 1e-70 in double; columns below that count as 0
//   a NaN or infinity     refused
//   S beyond the type     +inf, rounded as every result is; U and Vh are finite
//
// Equal inputs give equal bits, for any number of threads and of matrices in the batch.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "metal/cpu/half.h"
#include "reference/svd/problem.h"

namespace assay::metal {

/// Where the factors go. U and Vh may both be empty: singular values only, in the same bits. No output may overlap A.
template <class Real>
struct SvdOutput {
  std::span<Real> U;                            ///< [B, M, K]
  std::span<reference::SingularValue<Real>> S;  ///< [B, K]
  std::span<Real> Vh;                           ///< [B, K, N]
};

struct SvdCpuOptions {
  int threads = 0;  ///< at most this many; 0: all that the machine has
};

/// Thrown where the columns of a matrix were not orthogonal when the limit of sweeps was reached. The outputs may have
/// been overwritten.
class SvdNotConverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Writes every element of the outputs. Throws std::invalid_argument for whatever reference::validate and
/// validate_values refuse and for outputs of another size than stated above, or U without Vh; where validate_values
/// refuses, the outputs may have been overwritten. Throws SvdNotConverged, which names the matrix and the number of
/// sweeps.
template <class Real>
void svd(const reference::SvdProblem<Real>& problem, const SvdOutput<Real>& output, const SvdCpuOptions& options = {});

/// The rSVD: K is `randomized.rank`. Equal seeds give equal bits. Throws as svd does, and std::invalid_argument for
/// whatever reference::validate refuses of `randomized`.
template <class Real>
void randomized_svd(const reference::SvdProblem<Real>& problem, const reference::RandomizedSvd& randomized,
                    const SvdOutput<Real>& output, const SvdCpuOptions& options = {});

}  // namespace assay::metal
