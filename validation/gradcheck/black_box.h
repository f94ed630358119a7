// The gradient of a function of which nothing is known but its values, in float32 or float64.
//
// Along a direction v, with the claimed gradient g and points x_h+ = x + h v, x_h- = x - h v rounded to the type:
//
//   R(h) = (f(x_h+) - f(x_h-) - g . (x_h+ - x_h-)) / 2 h  =  (grad f - g) . v + O(h^2) + noise / h
//
// for h = 1/8, 1/16, ..., extrapolated to h = 0 by Richardson's scheme over up to four steps in a row. Of all such
// extrapolations the one is taken whose estimated error is smallest: the difference from the extrapolation of one step
// less, and the noise of f, measured by differences of f at nearby points (More and Wild, Estimating computational
// noise, SIAM J. Sci. Comput. 33, 2011), times the weights of the scheme. The directions are random signs, scaled by
// |x|, and then single coordinates, which name the wrong elements.
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
  Dtype dtype = Dtype::float64;           ///< of x and of the arithmetic inside f: the points are numbers of it
  Dtype gradient_dtype = Dtype::float64;  ///< of the gradient
  double tolerance = 16;           ///< of the gradient itself, in units of roundoff of its type, beside measured errors
  int directions = 16;             ///< random ones
  std::size_t coordinates = 1024;  ///< at most so many single coordinates; the rest by random directions alone
  std::uint64_t seed = 1;
  std::vector<std::int64_t> shape = {};  ///< of x, for the names of elements; none: [n]
  std::size_t worst = 10;                ///< elements to list
};

/// f at x [n] in doubles, and its claimed gradient [n].
///
/// fail        some directional derivative differs from the claim by more than the estimated error, or NaN came
/// mistrusted  the estimated error is above a tenth of the derivatives: noise or roughness hide them
///
/// Calls f some 2 * 18 times a direction (2 * 10 in float32 and below). Throws std::invalid_argument where the sizes of
/// x and gradient differ or are 0, and for an x that is not finite; what f throws becomes an error in the record.
GradcheckRecord check_black_box(const std::function<double(std::span<const double>)>& f, std::span<const double> x,
                                std::span<const double> gradient, const BlackBoxOptions& options = {});

}  // namespace assay::validation
