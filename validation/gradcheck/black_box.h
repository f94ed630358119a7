// Checks a gradient of a function that is known by its values alone, in float32 or float64.
//
// Along a direction v, with the claimed gradient g and points x_h+ = x + h v, x_h- = x - h v rounded to the type:
//
//   R(h) = (f(x_h+) - f(x_h-) - g . (x_h+ - x_h-)) / 2 h  =  (grad f - g) . v + O(h^2) + noise / h
//
// for h = 1/8, 1/16, ..., extrapolated to h = 0 by Richardson's scheme over up to four steps in a row. The check takes
// the extrapolation with the smallest estimated error: the difference from the extrapolation over one step less, plus
// the noise of f times the weights of the scheme. The noise is measured by differences of f at nearby points (More and
// Wild, Estimating computational noise, SIAM J. Sci. Comput. 33, 2011). The directions are random signs, scaled by |x|,
// and then single coordinates, which name the wrong elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "validation/core/dtype.h"
#include "validation/gradcheck/record.h"

namespace assay::validation {

struct BlackBoxOptions {
  std::string subject = "function";
  Dtype dtype = Dtype::float64;           ///< type of x, of the points and of the arithmetic in f
  Dtype gradient_dtype = Dtype::float64;  ///< type of the gradient
  double tolerance = 16;                  ///< allowed error of the gradient, in unit roundoffs of its type
  int directions = 16;                    ///< number of random directions
  std::size_t coordinates = 1024;         ///< how many coordinates are checked one by one, at most
  std::uint64_t seed = 1;
  std::vector<std::int64_t> shape = {};  ///< shape of x, for the names of elements; if empty, [n]
  std::size_t worst = 10;                ///< how many elements to list
};

/// Checks the claimed gradient [n] of f at x [n].
///
/// fail        a directional derivative differs from the claim by more than the estimated error, or is NaN
/// mistrusted  the estimated error is above a tenth of the derivatives in half of the directions or elements, because f is
///             noisy or not smooth, or f has one value alone
///
/// Calls f about 2 * 18 times for each direction (2 * 10 times in float32 and narrower types). Throws
/// std::invalid_argument if the sizes of x and gradient differ or are 0, or if x is not finite. An exception of f
/// becomes an error in the record.
GradcheckRecord check_black_box(const std::function<double(std::span<const double>)>& f, std::span<const double> x,
                                std::span<const double> gradient, const BlackBoxOptions& options = {});

}  // namespace assay::validation
