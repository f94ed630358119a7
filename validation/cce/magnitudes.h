// The logits and the softmax of a token, and how far rounding may carry them, which determines a kernel's bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "validation/cce/case.h"
#include "validation/cce/kernel.h"

namespace assay::validation {

/// One token: its logits and softmax to a few digits less than double, and their errors in a right kernel. Vectors are
/// [V]; the names of the errors are those of bounds.h.
struct CceToken {
  std::int64_t n = 0;
  std::size_t target = 0;
  std::vector<double> x;            ///< the logits after the cap
  std::vector<double> x_error;      ///< dx
  std::vector<double> slope;        ///< 1 - tanh^2
  std::vector<double> slope_error;  ///< its error
  std::vector<double> p;
  std::vector<double> p_error;  ///< pi
  bool exact = true;            ///< whether every order of summation gives the exact logits, and lse keeps them
  double max = 0;
  double log_sum = 0;  ///< lse - max
  double lse = 0;
  double rounding = 0;  ///< own: of the sum and its logarithm
  double lse_error = 0;
};

/// The errors are derived in docs/bounds.md, "Linear cross-entropy". Takes time V (H + log V).
CceToken measure_token(const CceCase& c, const CceKernelInfo& kernel, std::int64_t n);

/// The most additions that a term of a sum passes through.
double additions_in_chain(const CceKernelInfo& kernel, double terms);

/// The unit roundoff of the sums that a loss is made of.
double sum_roundoff(const CceKernelInfo& kernel);

/// The errors of those additions in a sum that a loss is made of, in units of unit_roundoff.
double roundings_in_chain(const CceKernelInfo& kernel, double terms);

}  // namespace assay::validation
