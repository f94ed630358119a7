// Sums along an axis, products of matrices, scatters and cumulative sums.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "validation/core/sums.h"
#include "validation/formula/polynomials.h"

namespace assay::validation::formula {

/// The elements that each element of a scatter or add_at is the sum of.
void PolynomialErrors::find_sources() {
  sources_.assign(static_cast<std::size_t>(node_->size), {});
  for (std::size_t j = 0; j < node_->index.size(); ++j) {
    if (node_->op == Op::scatter) {
      sources_[static_cast<std::size_t>(node_->index[j])].push_back({j, true, true});
      continue;
    }
    const Operand at = operand(node_->arguments[1], j);
    const std::int64_t row = node_->index[j] * node_->inner;
    auto [first, last] = reference::formula::detail::between(std::ceil(at.value - at.error),
                                                             std::floor(at.value + at.error), node_->inner);
    const bool is_sure = first >= 0 && first == last;
    if (first < 0) first = 0, last = node_->inner - 1;
    for (std::int64_t k = first; k <= last; ++k)
      sources_[static_cast<std::size_t>(row + k)].push_back({j, is_sure, static_cast<double>(k) == at.value});
  }
}

/// A kernel may round it to a narrower type first.
PolynomialErrors::Factor PolynomialErrors::factor(std::int32_t node, std::size_t i) const {
  Factor factor{operand(node, i), at(node, i)};
  if (!products_) return factor;
  const double further = kept_error(*products_, factor.x.value, factor.x.error, flushes_);
  factor.x.error += further;
  factor.polynomial.rounded += further;
  return factor;
}

PolynomialErrors::Bound PolynomialErrors::sum(std::size_t i, double value) {
  Polynomial all{.is_read = false}, one;
  bool is_exact_so_far = true;
  terms_.clear();
  const auto take = [&](double term, const Bound& bound) {
    is_exact_so_far = is_exact_so_far && bound.error == 0;
    add_monomials(all, one = bound.polynomial);
    terms_.push_back({term, one.rounded});
  };
  const auto inner = static_cast<std::size_t>(node_->inner);
  if (node_->op == Op::sum) {
    for (std::size_t k = i * inner; k < (i + 1) * inner; ++k) {
      const Operand x = operand(node_->arguments[0], k);
      take(x.value, {x.error, at(node_->arguments[0], k)});
    }
  } else {
    const auto columns = static_cast<std::size_t>(node_->columns), row = i / columns;
    const std::size_t first = row / static_cast<std::size_t>(node_->rows) * inner * columns + i % columns;
    for (std::size_t k = 0; k < inner; ++k) {
      const auto [a, of_a] = factor(node_->arguments[0], row * inner + k);
      const auto [b, of_b] = factor(node_->arguments[1], first + k * columns);
      Bound one_product = product(a, b, of_a, of_b, a.value * b.value);
      if (one_product.error == 0 && of_a.is_read && of_b.is_read) one_product.polynomial.rounded = 0;
      one_product.polynomial.has_product = true;
      take(a.value * b.value, one_product);
    }
  }
  if (terms_.size() == 1 && std::isfinite(value)) return {is_exact_so_far ? 0 : one.rounded, one};
  return sum_of_terms(all, is_exact_so_far, value);
}

PolynomialErrors::Bound PolynomialErrors::scattered(std::size_t i, double value) {
  Polynomial all{.is_read = false}, one, joined{.is_read = false};
  bool is_exact_so_far = true;
  terms_.clear();
  for (const auto& [j, is_sure, is_here] : sources_[i]) {
    const Operand x = operand(node_->arguments[0], j);
    one = at(node_->arguments[0], j);
    if (!is_sure) make_term(one, is_here ? x.value : 0, std::abs(x.value) + x.error);
    is_exact_so_far = is_exact_so_far && x.error == 0 && is_sure;
    add_monomials(all, one);
    add_terms(joined, one);
    terms_.push_back({is_here ? x.value : 0, one.rounded});
  }
  if (terms_.size() == 1 && std::isfinite(value)) return {is_exact_so_far ? 0 : one.rounded, one};
  Bound bound = sum_of_terms(all, is_exact_so_far, value);
  const bool are_sums = joins_ && std::isfinite(value) && joined.count > bound.polynomial.count;
  return are_sums ? of_joined(bound, joined, value) : bound;
}

/// The bound on a sum whose terms are sums themselves, whose terms may be added in any order.
PolynomialErrors::Bound PolynomialErrors::of_joined(Bound bound, const Polynomial& joined, double value) const {
  Polynomial& all = bound.polynomial;
  all.carried = joined.carried;
  all.total = joined.total;
  all.count = joined.count;
  all.rounded = std::max(all.rounded, all.carried + of_additions(all, value));
  if (bound.error != 0) bound.error = all.rounded;
  return bound;
}

/// Elements come in turn, each with one term more than the one before it in its row.
PolynomialErrors::Bound PolynomialErrors::cumulative(std::size_t i, double value) {
  const bool is_first = i % static_cast<std::size_t>(node_->inner) == 0;
  if (is_first) {
    cumulative_.begin();
    so_far_ = {.is_read = false};
    so_far_is_exact_ = true;
  }
  const Operand x = operand(node_->arguments[0], i);
  const Polynomial one = at(node_->arguments[0], i);
  so_far_is_exact_ = so_far_is_exact_ && x.error == 0;
  add_monomials(so_far_, one);
  const SumErrors errors = cumulative_.add({x.value, one.rounded}, node_->running || !so_far_is_exact_);
  if (is_first && std::isfinite(value)) return {so_far_is_exact_ ? 0 : one.rounded, one};
  return sum_of(errors, so_far_, so_far_is_exact_, value);
}

/// Whole numbers are added exactly in int32; a sum past its end has no number there.
bool PolynomialErrors::is_exact_sum(const Polynomial& all) const {
  if (int32_sums_ && all.unit >= 1 && all.reach < 0x1p31) return true;
  NumberFormat format = accumulating_;
  if (partial_.length > 0 && node_->op == Op::matmul) format.roundoff = std::max(format.roundoff, partial_.roundoff);
  return is_exact(all, format);
}

/// Each product but for those of 0 may be cut once where it is added, at the size of all.
double PolynomialErrors::of_partial_sums(const SumErrors& errors) const {
  if (partial_.length == 0 || node_->op != Op::matmul) return 0;
  const auto count = std::ranges::count_if(terms_, [](const Operand& x) { return x.value != 0 || x.error != 0; });
  const auto added = static_cast<double>(std::min<std::int64_t>(count, partial_.length));
  return errors.total * gamma(added, partial_.roundoff) * (1 + gamma(errors.operations, accumulating_.roundoff));
}

/// The bound on the sum of `terms_`; `all` holds the monomials of the terms.
PolynomialErrors::Bound PolynomialErrors::sum_of_terms(const Polynomial& all, bool are_exact, double value) const {
  const bool may_rescale = node_->op != Op::scatter && node_->op != Op::add_at && (node_->running || !are_exact);
  return sum_of(sum_errors(terms_, may_rescale, accumulate_), all, are_exact, value);
}

PolynomialErrors::Bound PolynomialErrors::sum_of(const SumErrors& errors, Polynomial all, bool are_exact,
                                                 double value) const {
  const double partial = of_partial_sums(errors), rounded = errors.bound(accumulating_) + partial;
  if (!std::isfinite(value)) return read({value, rounded});
  make_term(all, value, rounded);
  if (node_->running) return {errors.operations == 0 && are_exact ? 0 : rounded, all};
  all.carried = errors.carried;
  all.total = errors.total;
  all.count = (all.total == 0 ? 0 : 1) + errors.operations * (accumulating_.roundoff / computing_.roundoff);
  if (partial > 0) all.count += partial / all.total / computing_.roundoff;
  return {are_exact && is_exact_sum(all) ? 0 : rounded, all};
}

}  // namespace assay::validation::formula
