// Checks the gradient of a function that computes at any precision, by difference quotients with many digits.
//
//   g_i = (f(x + h e_i) - f(x - h e_i)) / 2 h,   h = 10^(-digits / 3) |x_i|     error about h^2 f''' / 6
//
// The quotient with h / 1000 must agree with it. The quotients from either side must agree too; if they do not, f has a
// kink there. If a function rounds inside, to float64 for example, the check notices and is mistrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reference/number/big_float.h"
#include "validation/core/dtype.h"
#include "validation/gradcheck/record.h"

namespace assay::validation {

struct ExactOptions {
  std::string subject = "function";
  int digits = 100;                      ///< f is called in this precision (reference/number/precision.h), or in more
  Dtype dtype = Dtype::float32;          ///< type of the gradient, with unit roundoff u
  double tolerance = 0;                  ///< bound in units of u |g_i|; 0: docs/gradcheck.md's, from the condition of f
  std::uint64_t seed = 1;                ///< seed of the perturbations that measure the condition
  std::vector<std::int64_t> shape = {};  ///< shape of x, for the names of elements; if empty, [n]
  std::size_t worst = 10;                ///< how many elements to list
};

using ExactFunction = std::function<reference::BigFloat(const std::vector<reference::BigFloat>&)>;

/// The gradient by forward-mode dual numbers, and the error that rounding may cause in that mode.
struct DualGradient {
  std::vector<reference::BigFloat> derivative;
  std::vector<double> error;  ///< in units of roundoff
};

/// Checks the claimed gradient [n] of f at x [n]. Calls f 2 n times for each of two steps, and 8 n times more if no
/// tolerance is given. Throws std::invalid_argument if the sizes of x and gradient differ or are 0, or if x is not
/// finite. An exception of f becomes an error in the record.
GradcheckRecord check_exact(const ExactFunction& f, std::span<const double> x, std::span<const double> gradient,
                            const ExactOptions& options = {});

/// As above, with a second computation of the gradient, `dual`. Both must agree, and the bound follows from its error.
GradcheckRecord check_exact(const ExactFunction& f, std::span<const double> x, std::span<const double> gradient,
                            const ExactOptions& options, const DualGradient& dual);

}  // namespace assay::validation
