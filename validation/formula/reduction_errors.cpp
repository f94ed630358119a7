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

double sum_error(std::span<const Operand> terms, bool running, Dtype accumulate) {
  const NumberFormat format = format_of(accumulate);
  const double u = format.roundoff;
  double total = 0, carried = 0;
  bool exact = !running, non_negative = true;
  Grid grid;
  std::vector<double> sizes;
  sizes.reserve(terms.size());
  for (const Operand& term : terms) {
    if (!std::isfinite(term.value)) return !(term.error <= 0) ? infinity : carried;
    const double size = std::abs(term.value) + term.error;
    sizes.push_back(size);
    total += size;
    carried += term.error;
    exact = exact && term.error == 0;
    non_negative = non_negative && term.value >= 0;
    grid.add(term.value);
  }
  if (total > format.largest) return infinity;  // so may a partial sum
  if (total == 0 || (exact && grid.is_exact(total, u)) || terms.size() < 2) return carried;
  double operations = effective_terms(sizes, total, u) + roads;
  if (non_negative && !exact) operations += rescaling(sizes, total, u);
  return carried + total * gamma(operations, u) + format.smallest;
}

double product_error(std::span<const Operand> factors, double value, const ElementErrors& elements) {
  const auto is_exact = [](const Operand& factor) { return factor.error == 0; };
  if (!std::isfinite(value) && std::ranges::all_of(factors, is_exact)) return 0;
  double size = 1, reach = 1;
  for (const Operand& factor : factors) {
    size *= std::abs(factor.value);
    reach *= std::abs(factor.value) + factor.error;
  }
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
