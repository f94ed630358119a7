// CTC in the algebraic twin of real arithmetic (docs/algebra.md): the reference over Followed.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/formula/followed.h"
#include "validation/core/followed_results.h"
#include "validation/ctc/operation.h"

namespace assay::validation {

FollowedResults CtcOperation::algebra_of(const CtcCase& c) {
  auto outcome = reference::ctc_outcome<reference::Followed>(c.view());
  return {{"loss", std::move(outcome.loss)}, {"gradient", std::move(outcome.gradient)}};
}

std::string CtcOperation::leaves_algebra(const CtcCase& c) {
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
