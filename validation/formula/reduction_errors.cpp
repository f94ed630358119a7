#include "validation/formula/reduction_errors.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "validation/core/sums.h"

namespace assay::validation::formula {
namespace {

// An online sum multiplies what it has by an exponential whenever its maximum changes.
constexpr double rescaling_cost = 5;

double rescaling(const std::vector<double>& sizes, double total, double u) {
  std::vector<Exponential> terms;
  terms.reserve(sizes.size());
  for (const double size : sizes) terms.push_back({size, size / total});
  return rescaling_error(terms, {rescaling_cost, u, true, infinity});
}

}  // namespace

double SumErrors::bound(const NumberFormat& format) const {
  if (total > usable_largest(format)) return infinity;  // so may a partial sum
  return carried + (operations == 0 ? 0 : total * gamma(operations, format.roundoff) + format.smallest);
}

SumErrors sum_errors(std::span<const Operand> terms, bool may_rescale, Dtype accumulate) {
  const double u = format_of(accumulate).roundoff;
  SumErrors sum;
  bool non_negative = true;
  std::vector<double> sizes;
  sizes.reserve(terms.size());
  for (const Operand& term : terms) {
    if (!std::isfinite(term.value)) return {!(term.error <= 0) ? infinity : sum.carried};
    sizes.push_back(std::abs(term.value) + term.error);
    sum.total += sizes.back();
    sum.carried += term.error;
    non_negative = non_negative && term.value >= 0;
  }
  if (sum.total == 0 || terms.size() < 2) return sum;
  sum.operations = effective_terms(sizes, sum.total, u) + roads;
  if (non_negative && may_rescale) sum.operations += rescaling(sizes, sum.total, u);
  return sum;
}

double product_error(std::span<const Operand> factors, double value, const ElementErrors& elements) {
  const auto is_exact = [](const Operand& factor) { return factor.error == 0; };
  if (!std::isfinite(value) && std::ranges::all_of(factors, is_exact)) return 0;
  double size = 1, reach = 1, most = 1;
  for (const Operand& factor : factors) {
    size *= std::abs(factor.value);
    reach *= std::abs(factor.value) + factor.error;
    most *= std::max(1.0, std::abs(factor.value) + factor.error);
  }
  if (!(most <= elements.largest())) return infinity;  // so may the product of some factors be, which come before a 0
  return (reach - size) + elements.rounding(value, roads * static_cast<double>(factors.size()));
}

double extreme_error(std::span<const Operand> terms, Op op) {
  const double sign = op == Op::largest ? 1 : -1;
  double least = -infinity, error = 0;
  for (const Operand& term : terms) least = std::max(least, sign * term.value - term.error);
  for (const Operand& term : terms)
    if (!(sign * term.value + term.error < least)) error = std::max(error, term.error);
  return error;
}

}  // namespace assay::validation::formula
