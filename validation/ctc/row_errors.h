// The errors that rounding may cause in ln p and in the posteriors of one row, from those of alpha and beta at each
// state (recursion_errors.h). Derivation: docs/bounds.md.
//
//   posterior_t(k) = sum_{l'_s = k} alpha_t(s) beta_t(s) / (y_t(k) p)      (derivation: docs/derivation-ctc.md)
#pragma once

#include <cstdint>
#include <vector>

#include "reference/matrix.h"
#include "validation/ctc/kernel.h"

namespace assay::validation {

/// The lattice of one row of T frames. A slot is a class that occurs among the states.
struct RowLattice {
  std::vector<std::int64_t> states;       ///< l' [L]
  std::vector<std::int64_t> slots;        ///< [L]: the slot of the state's class
  reference::Matrix<double> log_y;        ///< [T, slots]
  reference::Matrix<double> log_y_error;  ///< eta [T, slots]
};

struct RowErrors {
  double loss = 0;                            ///< -ln p; +inf where no alignment is possible
  double log_p_error = 0;                     ///< of ln p, after the sum over the last states
  reference::Matrix<double> posterior;        ///< [T, slots]
  reference::Matrix<double> posterior_error;  ///< [T, slots], absolute
  std::vector<double> frame_error;            ///< [T]: the sum of posterior_error over the slots
};

/// `deviations`: lambda of errors that add up as a random walk; 0 for the worst case.
RowErrors row_errors(const RowLattice& lattice, const CtcKernelInfo& kernel, double deviations);

}  // namespace assay::validation
