// Elements by indices that are data: take, and its transpose add_at, whose node's second argument holds the indices.
//
//   take     y_i = x[row_i inner + at_i]              add_at   y[row_j inner + at_j] += x_j
//
// The rows are known with the graph, `at` is a whole number in [0, inner). Anything else gives NaN: of add_at, to the whole
// row. Where `at` is a ball of several whole numbers, so that an index was computed from what is not exact, each of them
// may be meant: enclosures stay enclosures.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/formula/graph.h"
#include "reference/number/ball.h"
#include "reference/number/traits.h"

namespace assay::reference::formula::detail {

/// The first and the last that an index may be; first = -1 where it may be none.
struct Positions {
  std::int64_t first = -1, last = -1;
};

inline Positions between(double first, double last, std::int64_t inner) {
  const bool is_inside = first >= 0 && last < static_cast<double>(inner) && first <= last;
  return is_inside ? Positions{static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)} : Positions{};
}

template <class Number>
Positions positions(const Number& at, std::int64_t inner) {
  const double x = NumberTraits<Number>::to_double(at);
  return x == std::floor(x) ? between(x, x, inner) : Positions();
}

/// Where element j of a take comes from and that of an add_at goes to; -1: nowhere.
template <class Number>
std::int64_t place(const Node& node, const std::vector<Number>& at, std::size_t j) {
  const std::int64_t within = positions(at[j], node.inner).first;
  return within < 0 ? -1 : node.index[j] * node.inner + within;
}

/// What encloses both.
template <class Number>
Number either(const Number& a, const Number&) {
  return a;
}

#if ASSAY_HAVE_CERTIFIED
template <>
inline Positions positions<Ball>(const Ball& at, std::int64_t inner) {
  const auto first = static_cast<double>(at.lower()), last = static_cast<double>(at.upper());
  return between(std::ceil(first), std::floor(last), inner);
}

template <>
inline Ball either<Ball>(const Ball& a, const Ball& b) {
  Ball result;
  arb_union(result.data(), a.data(), b.data(), precision_bits() + guard_bits);
  return result;
}
#endif

/// Element i of a take from x.
template <class Number>
Number taken(const Node& node, const std::vector<Number>& x, const std::vector<Number>& at, std::size_t i) {
  const auto [first, last] = positions(at[i], node.inner);
  if (first < 0) return NumberTraits<Number>::nan();
  const std::int64_t row = node.index[i] * node.inner;
  Number result = x[static_cast<std::size_t>(row + first)];
  for (std::int64_t k = first + 1; k <= last; ++k) result = either(result, x[static_cast<std::size_t>(row + k)]);
  return result;
}

/// Adds element j of x to the result of an add_at.
template <class Number>
void add_taken(const Node& node, const std::vector<Number>& x, const std::vector<Number>& at, std::size_t j,
               std::vector<Number>& result) {
  auto [first, last] = positions(at[j], node.inner);
  const std::int64_t row = node.index[j] * node.inner;
  const bool is_none = first < 0, is_sure = first == last;
  if (is_none) first = 0, last = node.inner - 1;
  const Number term = is_none ? NumberTraits<Number>::nan() : is_sure ? x[j] : either(x[j], Number(0));
  for (std::int64_t k = first; k <= last; ++k) result[static_cast<std::size_t>(row + k)] += term;
}

}  // namespace assay::reference::formula::detail
