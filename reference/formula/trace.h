// A formula in C++ is a template over the number type; this number type records what the template does as a graph.
//
//   template <class Number>
//   std::vector<Number> softmax(const std::vector<Number>& x) {
//     const Number m = formula::largest<Number>(x);
//     ...  NumberTraits<Number>::exp(x[i] - m) ...  formula::sum<Number>(e)
//   }
//
// With Number = double, BigFloat or Ball it computes; with Variable it adds nodes to a graph, which evaluate.h
// evaluates and differentiate.h differentiates. Sums and extremes are written as below: a loop fixes an order of
// additions, and a branch on data has no graph, so that comparing Variables throws std::domain_error.
#pragma once

#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/formula/evaluate.h"

namespace assay::reference::formula {

/// An element of a node of a graph, or a constant.
class Variable {
 public:
  Variable() = default;
  Variable(double constant) : constant_(constant) {}
  Variable(Graph& graph, std::int32_t node) : graph_(&graph), node_(node) {}

  Variable& operator+=(const Variable& x) { return *this = *this + x; }
  Variable& operator-=(const Variable& x) { return *this = *this - x; }
  Variable& operator*=(const Variable& x) { return *this = *this * x; }
  Variable& operator/=(const Variable& x) { return *this = *this / x; }
  friend Variable operator+(const Variable& a, const Variable& b) { return of(Op::add, {a, b}); }
  friend Variable operator-(const Variable& a, const Variable& b) { return of(Op::subtract, {a, b}); }
  friend Variable operator*(const Variable& a, const Variable& b) { return of(Op::multiply, {a, b}); }
  friend Variable operator/(const Variable& a, const Variable& b) { return of(Op::divide, {a, b}); }
  friend Variable operator-(const Variable& a) { return of(Op::negative, {a}); }
  friend bool operator<(const Variable&, const Variable&) {
    throw std::domain_error("the formula branches on data: write formula::larger, chosen, less or largest");
  }
  friend bool operator>(const Variable& a, const Variable& b) { return b < a; }

  /// An elementwise operation.
  static Variable of(Op op, const std::vector<Variable>& arguments) {
    Graph* graph = graph_of(arguments);
    if (graph == nullptr) return constant_of(op, arguments);
    Node node{op, 1};
    for (const Variable& one : arguments) node.arguments.push_back(one.in(*graph));
    return {*graph, graph->add(std::move(node))};
  }

  /// A reduction of these terms.
  static Variable reduced(Op op, std::span<const Variable> terms) {
    const std::vector<Variable> all(terms.begin(), terms.end());
    Graph* graph = graph_of(all);
    if (graph == nullptr) return detail::reduced<double>(op, constants_of(all));
    const auto joined = join(*graph, all);
    return {*graph, graph->add({op, 1, {joined}, std::ssize(all)})};
  }

  /// One node of these elements.
  static std::int32_t join(Graph& graph, const std::vector<Variable>& elements) {
    Node node{Op::gather, std::ssize(elements)};
    for (const Variable& one : elements) node.arguments.push_back(one.in(graph));
    node.index.resize(elements.size());
    std::iota(node.index.begin(), node.index.end(), 0);
    return graph.add(std::move(node));
  }

  /// The elements of an input, which is added to the graph.
  static std::vector<Variable> input(Graph& graph, const std::string& name, std::int64_t size, std::int32_t& node) {
    Node added{Op::input, size};
    added.name = name;
    node = graph.add(std::move(added));
    std::vector<Variable> elements;
    for (std::int64_t i = 0; i < size; ++i)
      elements.emplace_back(graph, graph.add({Op::gather, 1, {node}, 0, 0, 0, {i}}));
    return elements;
  }

 private:
  static Graph* graph_of(const std::vector<Variable>& all) {
    for (const Variable& one : all)
      if (one.graph_ != nullptr) return one.graph_;
    return nullptr;
  }
  static std::vector<double> constants_of(const std::vector<Variable>& all) {
    std::vector<double> constants;
    for (const Variable& one : all) constants.push_back(one.constant_);
    return constants;
  }
  static Variable constant_of(Op op, const std::vector<Variable>& all) {
    const auto x = constants_of(all);
    if (op == Op::where) return detail::chosen(x[0], x[1], x[2]);
    return is_unary(op) ? detail::unary(op, x[0]) : detail::binary(op, x[0], x[1]);
  }
  std::int32_t in(Graph& graph) const {
    return graph_ != nullptr ? node_ : graph.add({Op::constant, 1, {}, 0, 0, 0, {}, {constant_}});
  }

  Graph* graph_ = nullptr;
  std::int32_t node_ = -1;
  double constant_ = 0;
};

// The functions that a formula calls in the place of loops and branches, for every number type.

template <class Number>
Number sum(std::span<const Number> terms) {
  return detail::reduced<Number>(Op::sum, terms);
}
template <class Number>
Number product(std::span<const Number> terms) {
  return detail::reduced<Number>(Op::product, terms);
}
template <class Number>
Number largest(std::span<const Number> terms) {
  return detail::reduced<Number>(Op::largest, terms);
}
template <class Number>
Number smallest(std::span<const Number> terms) {
  return detail::reduced<Number>(Op::smallest, terms);
}
/// 1 where a < b, else 0.
template <class Number>
Number less(const Number& a, const Number& b) {
  return detail::binary(Op::less, a, b);
}
/// 1 where a = b, else 0.
template <class Number>
Number equal(const Number& a, const Number& b) {
  return detail::binary(Op::equal, a, b);
}
template <class Number>
Number larger(const Number& a, const Number& b) {
  return detail::binary(Op::maximum, a, b);
}
template <class Number>
Number logaddexp(const Number& a, const Number& b) {
  return detail::binary(Op::logaddexp, a, b);
}
/// A function of one argument that NumberTraits does not have, such as Op::tanh or Op::erf.
template <class Number>
Number function(Op op, const Number& x) {
  return detail::unary(op, x);
}
template <class Number>
Number tanh(const Number& x) {
  return function(Op::tanh, x);
}
template <class Number>
Number power(const Number& x, const Number& p) {
  return detail::binary(Op::power, x, p);
}
/// a where the condition is above 0, else b.
template <class Number>
Number chosen(const Number& condition, const Number& a, const Number& b) {
  return detail::chosen(condition, a, b);
}

namespace detail {
template <>
inline Variable reduced<Variable>(Op op, std::span<const Variable> terms) {
  return Variable::reduced(op, terms);
}
template <>
inline Variable binary<Variable>(Op op, const Variable& a, const Variable& b) {
  return Variable::of(op, {a, b});
}
template <>
inline Variable unary<Variable>(Op op, const Variable& x) {
  return Variable::of(op, {x});
}
template <>
inline Variable chosen<Variable>(const Variable& condition, const Variable& a, const Variable& b) {
  return Variable::of(Op::where, {condition, a, b});
}
}  // namespace detail

}  // namespace assay::reference::formula

namespace assay::reference {

template <>
struct NumberTraits<formula::Variable> : PlainNumberTraits<formula::Variable> {
  using Variable = formula::Variable;
  using Op = formula::Op;

  static Variable exp(const Variable& x) { return Variable::of(Op::exp, {x}); }
  static Variable log(const Variable& x) { return Variable::of(Op::log, {x}); }
  static Variable log1p(const Variable& x) { return Variable::of(Op::log1p, {x}); }
  static Variable expm1(const Variable& x) { return Variable::of(Op::expm1, {x}); }
  static Variable sqrt(const Variable& x) { return Variable::of(Op::sqrt, {x}); }
  static Variable infinity() { return std::numeric_limits<double>::infinity(); }
};

}  // namespace assay::reference
