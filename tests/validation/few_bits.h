// Arithmetic of few bits: every result is rounded to nearest, ties to even. Bounds on rounding errors are tight there.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "validation/core/random.h"

namespace assay::validation {

struct FewBits {
  int digits = 10;

  double unit_roundoff() const { return std::ldexp(1.0, -digits); }

  double round(double x) const {
    if (x == 0 || !std::isfinite(x)) return x;
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(mantissa, digits)), exponent - digits);
  }

  /// The terms added one after the other.
  double chain(const std::vector<double>& terms) const {
    double sum = 0;
    for (const double x : terms) sum = round(sum + x);
    return sum;
  }

  /// The terms added in an order in which any two partial sums may meet.
  double tree(std::vector<double> terms, Random& random) const {
    while (terms.size() > 1) {
      std::swap(terms.back(), terms[static_cast<std::size_t>(random.integer(0, std::ssize(terms) - 1))]);
      const double x = terms.back();
      terms.pop_back();
      double& other = terms[static_cast<std::size_t>(random.integer(0, std::ssize(terms) - 1))];
      other = round(other + x);
    }
    return terms.empty() ? 0 : terms[0];
  }

  /// The sum of exp(x - max) over one argument after the other, rescaled whenever the maximum changes.
  /// Exponentials are within half a unit.
  double online_sum(const std::vector<double>& arguments) const {
    double max = -INFINITY, sum = 0;
    for (const double x : arguments) {
      const double larger = std::max(max, x);
      if (larger > max) sum = round(sum * round(std::exp(round(max - larger))));
      sum = round(sum + round(std::exp(round(x - larger))));
      max = larger;
    }
    return sum;
  }
};

}  // namespace assay::validation
