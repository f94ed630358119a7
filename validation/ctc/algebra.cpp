// The reference of CTC over Followed.
#include "validation/ctc/algebra.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/formula/followed.h"

namespace assay::validation {

FollowedResults AlgebraOf<CtcOperation>::results(const CtcCase& c) {
  auto outcome = reference::ctc_outcome<reference::Followed>(c.view());
  return {{"loss", std::move(outcome.loss)}, {"gradient", std::move(outcome.gradient)}};
}

std::string AlgebraOf<CtcOperation>::leaves(const CtcCase& c) {
  if (c.reduction == Reduction::mean) return "the weights of a mean, which hosts round";
  for (std::size_t first = 0; first < c.activations.size(); first += static_cast<std::size_t>(c.C)) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t k = 0; k < static_cast<std::size_t>(c.C); ++k) {
      const double a = c.activations[first + k];
      if (!std::isfinite(a)) continue;
      least = std::min(least, a), most = std::max(most, a);
    }
    if (most - least > largest_followed_distance) return "exponentials that a kernel may round to 0";
  }
  return "";
}

}  // namespace assay::validation
