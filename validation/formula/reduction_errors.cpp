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

CumulativeErrors::CumulativeErrors(Dtype accumulate) : roundoff_(format_of(accumulate).roundoff) {}

void CumulativeErrors::begin() {
  sum_ = {};
  sizes_.clear();
  is_finite_ = is_non_negative_ = true;
}

SumErrors CumulativeErrors::add(const Operand& term, bool may_rescale) {
  if (!is_finite_) return sum_;
  if (!std::isfinite(term.value)) {
    is_finite_ = false;
    return sum_ = {!(term.error <= 0) ? infinity : sum_.carried};
  }
  const double size = std::abs(term.value) + term.error;
  sizes_.insert(std::ranges::upper_bound(sizes_, size, std::ranges::greater()), size);
  sum_.total += size;
  sum_.carried += term.error;
  is_non_negative_ = is_non_negative_ && term.value >= 0;
  if (sum_.total == 0 || sizes_.size() < 2) return sum_;
  sum_.operations = effective_terms() + roads + (is_non_negative_ && may_rescale ? rescaling() : 0);
  return sum_;
}

/// As that of core/sums.h: of the sizes, only the smallest count less than one each.
double CumulativeErrors::effective_terms() const {
  const auto count = static_cast<double>(sizes_.size());
  const double growth = 1 + 2 * gamma(count, roundoff_);
  double smallest = 0, others = count;
  for (auto size = sizes_.rbegin(); size != sizes_.rend(); ++size, --others) {
    const double share = growth * *size / (roundoff_ * sum_.total);
    if (!(share < 1)) break;
    smallest += share;
  }
  return smallest + others;
}

/// As rescaling_error of core/sums.h, of sizes that are in order.
double CumulativeErrors::rescaling() {
  while (growths_.size() < sizes_.size())
    growths_.push_back(std::expm1(static_cast<double>(growths_.size()) * rescaling_cost * roundoff_));
  double error = 0;
  for (std::size_t i = 1; i < sizes_.size(); ++i) error += sizes_[i] / sum_.total * growths_[i];
  return error / roundoff_;
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
