// The gradient of a function that computes with numbers of any precision, by differences at many digits.
//
//   g_i = (f(x + h e_i) - f(x - h e_i)) / 2 h,   h = 10^(-digits / 3) |x_i|     error about h^2 f''' / 6
//
// computed again with h / 1000, which must agree; and from either side, which must agree too, else f has a kink there.
// A function that rounds inside, to float64 say, is noticed, and nothing is decided.
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
  Dtype dtype = Dtype::float32;          ///< of the gradient, whose unit of roundoff is u
  double tolerance = 0;                  ///< bound in units of u |g_i|; 0: docs/gradcheck.md's, from the condition of f
  std::uint64_t seed = 1;                ///< of the perturbations that measure the condition
  std::vector<std::int64_t> shape = {};  ///< of x, for the names of elements; none: [n]
  std::size_t worst = 10;                ///< elements to list
};

using ExactFunction = std::function<reference::BigFloat(const std::vector<reference::BigFloat>&)>;

/// The gradient by forward-mode dual numbers, and what rounding may cost an arithmetic of that mode.
struct DualGradient {
  std::vector<reference::BigFloat> derivative;
  std::vector<double> error;  ///< in units of roundoff
};

/// f at x [n], which is exact in BigFloat, and its claimed gradient [n]. Calls f 2 n times for each of two steps, and
/// 8 n times more for a bound that is not given. Throws std::invalid_argument where the sizes of x and gradient
/// differ or are 0, and for an x that is not finite; what f throws becomes an error in the record.
GradcheckRecord check_exact(const ExactFunction& f, std::span<const double> x, std::span<const double> gradient,
                            const ExactOptions& options = {});

/// The same where `dual` gives the gradient by other means: both must agree, and the bound is derived from its error.
GradcheckRecord check_exact(const ExactFunction& f, std::span<const double> x, std::span<const double> gradient,
                            const ExactOptions& options, const DualGradient& dual);

}  // namespace assay::validation
