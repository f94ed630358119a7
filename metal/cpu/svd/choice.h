// svd with the choices that it makes by itself laid open, for tests and measurements.
#pragma once

#include "metal/cpu/kernels.h"
#include "metal/cpu/svd.h"

namespace assay::metal::cpu {

enum class SvdMethod {
  automatic,
  lanes,           ///< Jacobi on many matrices side by side: at most svd_lanes columns (or rows)
  preconditioned,  ///< Jacobi on the transposed triangular factor of a QR factorization with pivoting
  direct,          ///< Jacobi on the columns of A itself
  lapack           ///< xGESDD
};

struct SvdChoice {
  SvdMethod method = SvdMethod::automatic;  ///< where it cannot be done, what can
  InstructionSet set = fastest_instruction_set();
  int sweep_limit = 60;
};

template <class Real>
void svd(const reference::SvdProblem<Real>& problem, const SvdOutput<Real>& output, const SvdCpuOptions& options,
         const SvdChoice& choice);

}  // namespace assay::metal::cpu
