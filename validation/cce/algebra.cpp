// The reference of cross-entropy over Followed.
#include "validation/cce/algebra.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "reference/cce/outcome.h"
#include "reference/formula/followed.h"

namespace assay::validation {
namespace {

bool is_power_of_two(double x) {
  int exponent = 0;
  return x == 0 || std::frexp(x, &exponent) == 0.5;
}

}  // namespace

FollowedResults AlgebraOf<CceOperation>::results(const CceCase& c) {
  auto outcome = reference::cce_outcome<reference::Followed>(c.view());
  return {{"loss", std::move(outcome.loss)},
          {"dhidden", std::move(outcome.dhidden)},
          {"dweight", std::move(outcome.dweight)},
          {"dbias", std::move(outcome.dbias)}};
}

std::string AlgebraOf<CceOperation>::leaves(const CceCase& c) {
  if (c.reduction == Reduction::mean) return "the weights of a mean, which hosts round";
  const bool divides_evenly = c.label_smoothing == 0 || std::has_single_bit(static_cast<std::uint64_t>(c.V));
  if (!divides_evenly || !is_power_of_two(c.label_smoothing) || !is_power_of_two(c.z_loss) ||
      !is_power_of_two(c.logit_softcap))
    return "options, reciprocals or shares of them, which hosts round";
  for (std::int64_t n = 0; n < c.N; ++n) {
    double most = 0;
    for (std::int64_t v = 0; v < c.V; ++v) {
      double z = c.bias.empty() ? 0 : double{c.bias[static_cast<std::size_t>(v)]};
      for (std::int64_t h = 0; h < c.H; ++h) z += double{c.hidden_at(n, h)} * double{c.weight_at(v, h)};
      if (std::isfinite(z)) most = std::max(most, std::abs(z));
    }
    if (2 * most > largest_followed_distance) return "exponentials that a kernel may round to 0";
  }
  return "";
}

}  // namespace assay::validation
