// svd with parameters that it usually sets by itself, for tests and measurements.
#pragma once

#include "metal/cpu/instruction_set.h"
#include "metal/cpu/svd/svd.h"

namespace assay::metal::cpu {

enum class SvdMethod {
  automatic,
  lanes,           ///< Jacobi on many matrices side by side: at most svd_lanes columns (or rows)
  preconditioned,  ///< Jacobi on the transposed triangular factor of a QR factorization with pivoting
  direct,          ///< Jacobi on the columns of A itself
  gram,            ///< the eigenvalues of A^T A in double, for matrices of float
  bidiagonal       ///< reduction to bidiagonal form, and divide and conquer
};

struct SvdTuning {
  SvdMethod method = SvdMethod::automatic;  ///< where the method cannot do a matrix, another one is used
  InstructionSet set = fastest_instruction_set();
  int sweep_limit = 60;
};

template <class Real>
void svd(const reference::SvdProblem<Real>& problem, const SvdOutput<Real>& output, const SvdCpuOptions& options,
         const SvdTuning& tuning);

}  // namespace assay::metal::cpu
