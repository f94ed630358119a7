// alpha and beta of a row in double, and beside each state what rounding may change there.
//
//   alpha_t(s) = y_t(s) sum_i alpha_t-1(i),   i in {s, s - 1, s - 2}      (Graves et al. 2006, eq. 6; beta likewise)
//   F_t(s)     = exp(delta_t(s)) sum_i share_i F_t-1(i),                  share_i = alpha_t-1(i) / sum_j alpha_t-1(j)
//
// F bounds the factor by which rounding changes alpha, delta_t(s) what the frame itself rounds (docs/bounds.md).
#pragma once

#include <cstdint>
#include <vector>

#include "validation/ctc/kernel.h"
#include "validation/ctc/log_sum.h"
#include "validation/ctc/row_errors.h"

namespace assay::validation {

/// alpha_t(s) or beta_t(s), either with the emission of frame t.
struct RowState {
  double log = log_zero;
  double growth = 0;
  double local = 0;     ///< delta
  double excluded = 0;  ///< of beta: the growth without the emission's error, which posteriors divide out
  double rest = 0;      ///< of beta: as `excluded`, for kernels that differentiate alpha's recursion to find it
};

/// The states of a frame that can be reached and left in time (reference/ctc/labels.h).
struct RowFrame {
  std::int64_t first = 0;
  std::vector<RowState> states;
  double largest = log_zero;  ///< ln of the largest sum, before the emission, over all states that the sweep reaches

  std::int64_t end() const { return first + std::ssize(states); }
  const RowState& at(std::int64_t s) const;  ///< zero where s is none of them
};

class RecursionErrors {
 public:
  RecursionErrors(const RowLattice& lattice, const CtcKernelInfo& kernel);

  RowFrame alpha(std::int64_t t, const RowFrame& before) const;
  RowFrame beta(std::int64_t t, const RowFrame& after, const RowFrame& alpha_after) const;

  /// The sum over the states that a path ends in, and its growth.
  RowState p_of_alpha(const RowFrame& last) const;
  /// The sum over the states that a path begins in, and its growth.
  RowState p_of_beta(const RowFrame& first) const;

 private:
  RowState alpha_at(std::int64_t t, std::int64_t s, const RowFrame& before) const;
  RowState beta_at(std::int64_t t, std::int64_t s, const RowFrame& after, const RowFrame& alpha_after) const;
  RowState next(std::int64_t t, std::int64_t s, const LogSum& sum, double growth, double largest) const;
  double local(std::int64_t t, std::int64_t s, const LogSum& sum, double growth, double largest) const;
  double log_y(std::int64_t t, std::int64_t s) const;
  double log_y_error(std::int64_t t, std::int64_t s) const;

  const RowLattice& lattice_;
  double u_;
  bool in_log_space_;
  std::int64_t T_, L_;
  std::vector<double> alpha_largest_, beta_largest_;  ///< [T]: RowFrame::largest
};

}  // namespace assay::validation
