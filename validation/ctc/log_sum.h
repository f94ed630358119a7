// Sums of numbers that are given by their logarithms, and how far rounding may change such sums.
//
// A growth is F - 1, where F bounds the factor by which rounding changes a number x: what is computed lies between x /
// F and x F, and its logarithm is off by at most ln F.
#pragma once

#include <array>
#include <cmath>

#include "validation/core/infinity.h"

namespace assay::validation {

constexpr double log_zero = -infinity;

/// At least the growth of a number whose logarithm has this error.
inline double growth_of(double error) {
  return error < 1 ? error * (1 + error * (1.0 / 2 + error / 4)) : std::expm1(error);  // its Taylor series
}

/// At least the error of the logarithm of a number that has this growth.
inline double error_of(double growth) {
  return growth < 0.5 ? growth * (1 - growth * (1.0 / 2 - growth / 3)) : std::log1p(growth);
}

/// The growth of a product of numbers that have these growths.
inline double compounded(double a, double b) {
  return a < infinity && b < infinity ? a + b + a * b : infinity;
}

/// share * growth, where the share may have underflowed to 0 and an infinite growth means that nothing is claimed.
inline double weighted(double share, double growth) {
  return share > 0 ? share * growth : (growth < infinity ? 0 : growth);
}

/// ln of a sum of at most three exponentials.
struct LogSum {
  double log = log_zero;
  std::array<double, 3> shares = {};
  int terms = 0;        ///< that are not 0
  double smallest = 1;  ///< the smallest share of such a term

  /// The growth of the sum, if those of its terms are `growths`: F of a sum is the mean of the F of its terms. As 1 / x
  /// is convex, the mean of 1 / F is at least 1 / (the mean of F), so that this holds in both directions.
  double growth(const std::array<double, 3>& growths) const;
};

LogSum log_sum_of(const std::array<double, 3>& logs);

}  // namespace assay::validation
