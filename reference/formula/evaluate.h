// The values of all nodes of a formula's graph, in any number type: double, BigFloat, or Ball for an enclosure.
//
// logaddexp(a, b) = m + log1p(exp(-|a - b|)) with m = max(a, b);   tanh x = -t / (t + 2) with t = expm1(-2x), x >= 0
// sigmoid x = 1 / (1 + exp(-x))
#pragma once

#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "reference/formula/compare.h"
#include "reference/formula/graph.h"
#include "reference/formula/indexing.h"
#include "reference/formula/ordering.h"
#include "reference/number/big_float.h"
#include "reference/number/functions.h"
#include "reference/number/small_format.h"
#include "reference/number/traits.h"

namespace assay::reference::formula {

template <class Number>
using Values = std::vector<std::vector<Number>>;  ///< [node][element]

namespace detail {

template <class Number>
Number smaller(const Number& a, const Number& b) {
  return -larger<Number>(-a, -b);
}

template <class Number>
Number magnitude(const Number& a) {
  return larger<Number>(a, -a) + Number(0);  // which makes 0 of -0
}

template <class Number>
Number tanh(const Number& x) {
  if (x < Number(0)) return -tanh<Number>(-x);
  const Number t = NumberTraits<Number>::expm1(-(x + x));
  return -t / (t + Number(2));
}

template <class Number>
Number sigmoid(const Number& x) {
  const bool is_negative = x < Number(0);
  const Number e = NumberTraits<Number>::exp(is_negative ? x : -x);  // at most 1
  return (is_negative ? e : Number(1)) / (e + Number(1));
}

template <class Number>
Number logaddexp(const Number& a, const Number& b) {
  using Traits = NumberTraits<Number>;
  Number m = larger(a, b);
  if (!Traits::is_finite(m)) return m;
  return m + Traits::log1p(Traits::exp(-magnitude<Number>(a - b)));
}

template <class Number>
Number unary(Op op, const Number& x) {
  using Traits = NumberTraits<Number>;
  switch (op) {
    case Op::negative:
      return -x;
    case Op::abs:
      return magnitude(x);
    case Op::sign:
      return sign(x);
    case Op::exp:
      return Traits::exp(x);
    case Op::expm1:
      return Traits::expm1(x);
    case Op::log:
      return Traits::log(x);
    case Op::log1p:
      return Traits::log1p(x);
    case Op::sqrt:
      return Traits::sqrt(x);
    case Op::sin:
      return Functions<Number>::sin(x);
    case Op::cos:
      return Functions<Number>::cos(x);
    case Op::erf:
      return Functions<Number>::erf(x);
    case Op::floor:
      return Functions<Number>::floor(x);
    case Op::round:
      return Functions<Number>::round(x);
    case Op::sigmoid:
      return sigmoid(x);
    default:
      return tanh(x);
  }
}

template <class Number>
Number binary(Op op, const Number& a, const Number& b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::maximum:
      return larger(a, b);
    case Op::minimum:
      return smaller(a, b);
    case Op::logaddexp:
      return logaddexp(a, b);
    case Op::power:
      return Functions<Number>::pow(a, b);
    default:
      return comparison(op, a, b);
  }
}

template <class Number>
Number reduced(Op op, std::span<const Number> row) {
  const Number infinity = NumberTraits<Number>::infinity();
  Number result = op == Op::product    ? Number(1)
                  : op == Op::largest  ? -infinity
                  : op == Op::smallest ? infinity
                                       : Number(0);
  for (const Number& x : row) {
    if (op == Op::sum) result += x;
    if (op == Op::product) result *= x;
    if (op == Op::largest) result = larger(result, x);
    if (op == Op::smallest) result = smaller(result, x);
  }
  return result;
}

/// One element of batch x rows x columns.
template <class Number>
Number inner_product(const Node& node, std::span<const Number> a, std::span<const Number> b, std::int64_t element) {
  const std::int64_t column = element % node.columns;
  const std::int64_t row = element / node.columns;  // of all batches
  const std::int64_t first = row / node.rows * node.inner * node.columns + column;
  Number sum(0);
  for (std::int64_t k = 0; k < node.inner; ++k)
    add_product(sum, a[static_cast<std::size_t>(row * node.inner + k)],
                b[static_cast<std::size_t>(first + k * node.columns)]);
  return sum;
}

/// Element `i` of the arguments joined end to end.
template <class Array>
const auto& joined(const Node& node, const Array& values, std::int64_t i) {
  for (const auto argument : node.arguments) {
    const auto& one = values[static_cast<std::size_t>(argument)];
    if (i < std::ssize(one)) return one[static_cast<std::size_t>(i)];
    i -= std::ssize(one);
  }
  throw std::out_of_range("gather: an index past the arguments");
}

/// The elements of a row that element `i` of a cumulative sum adds.
template <class Number>
std::span<const Number> added(const Node& node, const std::vector<Number>& a, std::size_t i) {
  const std::size_t within = i % static_cast<std::size_t>(node.inner);
  return std::span(a).subspan(i - within, within + 1);
}

template <class Number>
std::vector<Number> ordered(const Node& node, std::span<const Number> a) {
  std::vector<Number> result;
  const auto inner = static_cast<std::size_t>(node.inner);
  for (std::size_t first = 0; first < a.size(); first += inner)
    for (Number& x : node.op == Op::sort ? sorted(a.subspan(first, inner)) : ranked(a.subspan(first, inner)))
      result.push_back(std::move(x));
  return result;
}

/// The elements of a node that are cheaper to compute together: a scatter, an add_at, a cumulative sum, a sort.
template <class Number>
std::vector<Number> computed_whole(const Node& node, const Values<Number>& values) {
  const auto& a = values[static_cast<std::size_t>(node.arguments[0])];
  if (is_ordering(node.op)) return ordered<Number>(node, a);
  std::vector<Number> result(static_cast<std::size_t>(node.size), Number(0));
  if (node.op == Op::add_at) {
    const auto& at = values[static_cast<std::size_t>(node.arguments[1])];
    for (std::size_t j = 0; j < a.size(); ++j) add_taken(node, a, at, j, result);
    return result;
  }
  if (node.op == Op::scatter) {
    for (std::size_t j = 0; j < a.size(); ++j) result[static_cast<std::size_t>(node.index[j])] += a[j];
    return result;
  }
  for (std::size_t i = 0; i < a.size(); ++i)
    result[i] = i % static_cast<std::size_t>(node.inner) == 0 ? a[i] : result[i - 1] + a[i];
  return result;
}

constexpr bool is_computed_whole(Op op) {
  return op == Op::scatter || op == Op::add_at || op == Op::cumulative_sum || is_ordering(op);
}

template <class Number>
Number element(const Node& node, const Values<Number>& values, std::size_t i) {
  const auto& a = values[static_cast<std::size_t>(node.arguments[0])];
  if (is_unary(node.op)) return unary(node.op, a[i]);
  if (node.op == Op::cast) return node.cast.is_optional ? a[i] : rounded_to<Number>(node.cast, a[i]);
  if (node.op == Op::gather) return joined(node, values, node.index[i]);
  if (is_reduction(node.op)) {
    const auto inner = static_cast<std::size_t>(node.inner);
    return reduced<Number>(node.op, std::span(a).subspan(i * inner, inner));
  }
  if (node.op == Op::cumulative_sum) return reduced<Number>(Op::sum, added(node, a, i));
  if (is_computed_whole(node.op)) return computed_whole<Number>(node, values)[i];
  const auto& b = values[static_cast<std::size_t>(node.arguments[1])];
  if (node.op == Op::take) return taken(node, a, b, i);
  if (node.op == Op::where) {
    const auto& c = values[static_cast<std::size_t>(node.arguments[2])];
    return node.is_share ? chosen_by_share<Number>(a[i], b[i], c[i]) : chosen(a[i], b[i], c[i]);
  }
  if (node.op == Op::matmul) return inner_product<Number>(node, a, b, static_cast<std::int64_t>(i));
  if (!node.is_share) return binary(node.op, a[i], b[i]);
  return node.op == Op::divide ? share(a[i], b[i]) : share_of_smaller<Number>(a[i], b[i]);
}

}  // namespace detail

struct Unchanged {
  template <class Number>
  void operator()(const Node&, std::vector<Number>&) const {}
};

namespace detail {

/// For each node the nodes whose values nobody needs once this one has been computed: all but those that are kept.
inline std::vector<std::vector<std::int32_t>> last_uses(const Graph& graph, std::span<const std::int32_t> kept) {
  std::vector<std::int32_t> last(graph.nodes.size());
  for (std::size_t n = 0; n < last.size(); ++n) {
    last[n] = static_cast<std::int32_t>(n);
    for (const auto argument : graph.nodes[n].arguments) last[static_cast<std::size_t>(argument)] = last[n];
  }
  for (const auto node : kept) last[static_cast<std::size_t>(node)] = -1;
  std::vector<std::vector<std::int32_t>> dying(graph.nodes.size());
  for (std::size_t n = 0; n < last.size(); ++n)
    if (last[n] >= 0) dying[static_cast<std::size_t>(last[n])].push_back(static_cast<std::int32_t>(n));
  return dying;
}

}  // namespace detail

/// `input(name)` gives the elements of an input as doubles. `after` may change what a node has become. Unless `kept` is
/// empty, the values of the nodes in it alone are returned, and those of others are freed as soon as nobody needs them.
template <class Number, class Input, class After = Unchanged>
Values<Number> evaluate(const Graph& graph, const Input& input, const After& after = {},
                        std::span<const std::int32_t> kept = {}) {
  std::vector<std::vector<std::int32_t>> dying;
  if (!kept.empty()) dying = detail::last_uses(graph, kept);
  Values<Number> values;
  values.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    std::vector<Number> result;
    if (node.op == Op::input || node.op == Op::constant) {
      for (const double x : node.op == Op::input ? input(node.name) : node.values)
        result.push_back(NumberTraits<Number>::from_real(x));
    } else if (node.op == Op::pi) {
      result.push_back(Functions<Number>::pi());
    } else if (detail::is_computed_whole(node.op)) {
      result = detail::computed_whole<Number>(node, values);
    } else {
      result.reserve(static_cast<std::size_t>(node.size));
      for (std::size_t i = 0; i < static_cast<std::size_t>(node.size); ++i)
        result.push_back(detail::element(node, values, i));
    }
    if (std::ssize(result) != node.size)
      throw std::invalid_argument("input '" + node.name + "' of " + std::to_string(result.size()) +
                                  " elements: expected " + std::to_string(node.size));
    after(node, result);
    values.push_back(std::move(result));
    if (kept.empty()) continue;
    for (const auto dead : dying[values.size() - 1]) std::vector<Number>().swap(values[static_cast<std::size_t>(dead)]);
  }
  return values;
}

}  // namespace assay::reference::formula
