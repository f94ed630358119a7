// The errors that rounding may cause in ln p and in the posteriors of one row: the recursion over states in double, and
// beside each state the error of its logarithm, from those of the states before it. Derivation: docs/bounds.md.
//
//   alpha_t(s) = y_t(s) sum_i alpha_t-1(i),   i in {s, s - 1, s - 2}      (Graves et al. 2006, eq. 6; beta likewise)
//   F_t(s)     = exp(delta_t(s)) sum_i share_i F_t-1(i),                  share_i = alpha_t-1(i) / sum_j alpha_t-1(j)
//
// F bounds the factor by which rounding has changed alpha: ln F is the error of ln alpha, to any order. delta_t(s) is
// what the frame itself rounds: `LocalErrors`.
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
