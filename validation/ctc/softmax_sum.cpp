#include "validation/ctc/softmax_sum.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "validation/core/sums.h"
#include "validation/ctc/log_sum.h"

namespace assay::validation {

SoftmaxSum softmax_sum(const CtcCase& c, std::int64_t t, std::int64_t b, double unit_roundoff) {
  double largest = log_zero;
  double smallest = -log_zero;
  for (std::int64_t k = 0; k < c.C; ++k) largest = std::max(largest, double{c.activation(t, b, k)});
  Grid grid;
  std::vector<Exponential> terms;
  std::vector<double> sizes;
  double sum = 0;
  for (std::int64_t k = 0; k < c.C; ++k) {
    const double a = double{c.activation(t, b, k)};
    if (a == log_zero) continue;
    grid.add(a);
    smallest = std::min(smallest, a);
    sizes.push_back(std::exp(a - largest));
    sum += sizes.back();
    terms.push_back({a, sizes.back()});
  }
  SoftmaxSum found{.largest = largest, .logarithm = std::log(sum)};
  for (Exponential& term : terms) {
    term.share /= sum;
    found.distance += term.share * (largest - term.argument);
  }
  found.terms = effective_terms(sizes, sum, unit_roundoff);
  found.rescaling = rescaling_error(terms, {.cost = 5, .unit_roundoff = unit_roundoff});
  found.exact = grid.is_exact(largest - smallest, unit_roundoff);
  return found;
}

}  // namespace assay::validation
