// Reverse mode: adds to a formula's graph the nodes of its vector-Jacobian product. The result is a graph as any
// other, so that one evaluation, at any precision, and one analysis of rounding serve the formula and its gradient.
//
//   adjoint(x) = sum over the uses y of x of  adjoint(y) dy/dx
//
// A formula that loops reads one element of an array at a time. All these uses of an array give one scatter, so that
// the graph grows with the number of elements that are read and not with that number times the size of the array.
//
// At a tie, maximum, minimum, largest and smallest pass the adjoint to equal parts: where the formula is differentiable
// the choice cancels.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reference/formula/graph.h"

namespace assay::reference::formula {
namespace detail {

class Differentiation {
 public:
  explicit Differentiation(Graph& graph)
      : graph_(graph), adjoints_(graph.nodes.size(), -1), selections_(graph.nodes.size()) {}

  void seed(std::int32_t node, std::int32_t adjoint) { accumulate(node, adjoint); }

  void run() {
    for (auto i = static_cast<std::int32_t>(adjoints_.size()) - 1; i >= 0; --i) {
      accumulate_selections(i);
      if (adjoints_[static_cast<std::size_t>(i)] >= 0) propagate(i, adjoints_[static_cast<std::size_t>(i)]);
    }
  }

  /// The adjoint of a node; zeros where no output depends on the node.
  std::int32_t of(std::int32_t node) {
    const auto found = adjoints_[static_cast<std::size_t>(node)];
    return found >= 0 ? found : constant(graph_.size_of(node), 0);
  }

 private:
  std::int32_t constant(std::int64_t size, double value) {
    return graph_.add(
        {Op::constant, size, {}, 0, 0, 0, {}, std::vector<double>(static_cast<std::size_t>(size), value)});
  }
  std::int32_t unary(Op op, std::int32_t a) { return graph_.add({op, graph_.size_of(a), {a}}); }
  std::int32_t binary(Op op, std::int32_t a, std::int32_t b) { return graph_.add({op, graph_.size_of(a), {a, b}}); }
  std::int32_t times(std::int32_t a, std::int32_t b) { return binary(Op::multiply, a, b); }
  std::int32_t where(std::int32_t condition, std::int32_t a, std::int32_t b) {
    return graph_.add({Op::where, graph_.size_of(a), {condition, a, b}});
  }
  /// a, b or their mean, for a share of 1, 0 or 1/2.
  std::int32_t shared(std::int32_t share, std::int32_t a, std::int32_t b) {
    const auto result = where(share, a, b);
    graph_.nodes[static_cast<std::size_t>(result)].is_share = true;
    return result;
  }
  /// g / b, where a 0 of b says that there is no derivative.
  std::int32_t slope(std::int32_t g, std::int32_t b) {
    const auto result = binary(Op::divide, g, b);
    graph_.nodes[static_cast<std::size_t>(result)].is_slope = true;
    return result;
  }
  std::int32_t gather(std::int32_t a, std::vector<std::int64_t> index) {
    return graph_.add({Op::gather, std::ssize(index), {a}, 0, 0, 0, std::move(index)});
  }
  /// Each element `inner` times.
  std::int32_t repeat(std::int32_t a, std::int64_t inner) {
    std::vector<std::int64_t> index(static_cast<std::size_t>(graph_.size_of(a) * inner));
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::int64_t>(i) / inner;
    return gather(a, std::move(index));
  }
  /// [batch, rows, columns] with rows and columns exchanged.
  std::int32_t transposed(std::int32_t a, std::int64_t rows, std::int64_t columns) {
    std::vector<std::int64_t> index(static_cast<std::size_t>(graph_.size_of(a)));
    for (std::int64_t i = 0; i < std::ssize(index); ++i) {
      const std::int64_t within = i % (rows * columns);
      index[static_cast<std::size_t>(i)] = i - within + within % rows * columns + within / rows;
    }
    return gather(a, std::move(index));
  }
  std::int32_t matmul(std::int32_t a, std::int32_t b, std::int64_t rows, std::int64_t inner, std::int64_t columns,
                      std::int64_t size) {
    Node product{Op::matmul, size, {a, b}, inner, rows, columns};
    product.running = true;  // (g v) w may be computed as g (v w)
    return graph_.add(std::move(product));
  }

  /// 2 / sqrt(pi) exp(-x^2).
  std::int32_t gaussian(std::int32_t x) {
    const auto factor = binary(Op::divide, constant(1, 2), unary(Op::sqrt, graph_.add({Op::pi, 1})));
    const auto bell = unary(Op::exp, unary(Op::negative, times(x, x)));
    return times(gather(factor, std::vector<std::int64_t>(static_cast<std::size_t>(graph_.size_of(x)), 0)), bell);
  }

  /// Element i of each row of `inner` elements is element i - distance, and 1 where there is none.
  std::int32_t shifted(std::int32_t a, std::int64_t inner, std::int64_t distance) {
    const std::int64_t size = graph_.size_of(a);
    std::vector<std::int64_t> index(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t from = i % inner - distance;
      index[static_cast<std::size_t>(i)] = from >= 0 && from < inner ? i - distance : size;
    }
    return graph_.add({Op::gather, size, {a, constant(1, 1)}, 0, 0, 0, std::move(index)});
  }

  /// For each element the product of all others of its row, which exists where the element is 0: the products of those
  /// before and of those after, each by doubling (Hillis and Steele 1986).
  std::int32_t products_of_others(std::int32_t x, std::int64_t inner) {
    std::int32_t result = constant(graph_.size_of(x), 1);
    for (const std::int64_t side : {1, -1}) {
      std::int32_t scan = shifted(x, inner, side);
      for (std::int64_t step = 1; step < inner; step *= 2) scan = times(scan, shifted(scan, inner, side * step));
      result = times(result, scan);
    }
    return result;
  }

  /// For each element of a row the sum of those from it on.
  std::int32_t sums_from_each_on(const Node& node, std::int32_t g) {
    const auto reversed = [&](std::int32_t a) {
      std::vector<std::int64_t> index(static_cast<std::size_t>(node.size));
      for (std::int64_t i = 0; i < node.size; ++i)
        index[static_cast<std::size_t>(i)] = i - i % node.inner + (node.inner - 1 - i % node.inner);
      return gather(a, std::move(index));
    };
    return reversed(graph_.add({Op::cumulative_sum, node.size, {reversed(g)}, node.inner}));
  }

  void accumulate(std::int32_t node, std::int32_t adjoint) {
    auto& sum = adjoints_[static_cast<std::size_t>(node)];
    sum = sum < 0 ? adjoint : binary(Op::add, sum, adjoint);
  }

  void propagate(std::int32_t number, std::int32_t g) {
    const Node node = graph_.nodes[static_cast<std::size_t>(number)];  // a copy: adding nodes moves the originals
    if (node.arguments.empty()) return;
    if (node.op == Op::cast) return cast_adjoint(node, g);
    if (is_unary(node.op)) return unary_adjoint(node, number, g);
    if (is_reduction(node.op)) return reduction_adjoint(node, number, g);
    if (node.op == Op::matmul) return product_adjoint(node, g);
    if (node.op == Op::gather) return gather_adjoint(node, g);
    if (node.op == Op::scatter) return accumulate(node.arguments[0], gather(g, node.index));
    if (node.op == Op::take || node.op == Op::add_at) return indexed_adjoint(node, g);
    if (is_ordering(node.op)) return ordering_adjoint(node, g);
    if (node.op == Op::cumulative_sum) return accumulate(node.arguments[0], sums_from_each_on(node, g));
    binary_adjoint(node, number, g);
  }

  void cast_adjoint(const Node& node, std::int32_t g) {
    if (node.cast.gradient == CastGradient::flat) return;
    if (node.cast.gradient == CastGradient::straight_through) return accumulate(node.arguments[0], g);
    Node rounded{Op::cast, node.size, {g}};
    rounded.cast = node.cast;
    rounded.cast.is_optional = true;
    accumulate(node.arguments[0], graph_.add(std::move(rounded)));
  }

  void unary_adjoint(const Node& node, std::int32_t y, std::int32_t g) {
    const auto x = node.arguments[0];
    const auto one = [&] { return constant(node.size, 1); };
    switch (node.op) {
      case Op::negative:
        return accumulate(x, unary(Op::negative, g));
      case Op::abs:
        return accumulate(x, times(g, unary(Op::sign, x)));
      case Op::exp:
        return accumulate(x, times(g, y));
      case Op::expm1:
        return accumulate(x, times(g, binary(Op::add, y, one())));
      case Op::log:
        return accumulate(x, binary(Op::divide, g, x));
      case Op::log1p:
        return accumulate(x, binary(Op::divide, g, binary(Op::add, one(), x)));
      case Op::sqrt:
        return accumulate(x, slope(g, binary(Op::add, y, y)));
      case Op::sin:
        return accumulate(x, times(g, unary(Op::cos, x)));
      case Op::cos:
        return accumulate(x, unary(Op::negative, times(g, unary(Op::sin, x))));
      case Op::erf:
        return accumulate(x, times(g, gaussian(x)));
      case Op::sigmoid:
        return accumulate(x, times(g, times(y, binary(Op::subtract, one(), y))));
      case Op::tanh:
        return accumulate(x, times(g, binary(Op::subtract, one(), times(y, y))));
      default:
        return;  // sign, floor and round are flat
    }
  }

  void binary_adjoint(const Node& node, std::int32_t y, std::int32_t g) {
    const auto a = node.arguments[0];
    const auto b = node.arguments[1];
    const auto zero = [&] { return constant(node.size, 0); };
    switch (node.op) {
      case Op::add:
        return accumulate(a, g), accumulate(b, g);
      case Op::subtract:
        return accumulate(a, g), accumulate(b, unary(Op::negative, g));
      case Op::multiply:
        return accumulate(a, times(g, b)), accumulate(b, times(g, a));
      case Op::divide:
        accumulate(a, binary(Op::divide, g, b));
        return accumulate(b, unary(Op::negative, binary(Op::divide, times(g, y), b)));
      case Op::maximum:
      case Op::minimum: {
        const bool is_maximum = node.op == Op::maximum;
        Node share{Op::less_equal, node.size, {is_maximum ? b : a, is_maximum ? a : b}};
        share.is_share = true;
        const auto of_a = graph_.add(std::move(share));
        return accumulate(a, shared(of_a, g, zero())), accumulate(b, shared(of_a, zero(), g));
      }
      case Op::logaddexp:
        for (const auto x : {a, b}) {  // exp(x - y), and 0 where x is -inf, whatever y is
          const auto low = constant(node.size, -std::numeric_limits<double>::infinity());
          const auto share = unary(Op::exp, binary(Op::subtract, x, y));
          accumulate(x, where(binary(Op::less, low, x), times(g, share), zero()));
        }
        return;
      case Op::power:
        return power_adjoint(node, y, g);
      case Op::where:
        accumulate(b, where(a, g, zero()));
        return accumulate(node.arguments[2], where(a, zero(), g));
      default:
        return;  // comparisons are flat
    }
  }

  /// p x^(p - 1), and x^p log x: 0 where x^p is 0, as at x = 0, and where p = 0 whatever x is.
  void power_adjoint(const Node& node, std::int32_t y, std::int32_t g) {
    const auto x = node.arguments[0], p = node.arguments[1];
    const auto one = constant(node.size, 1), zero = constant(node.size, 0);
    if (!is_constant(x)) {
      const auto slope = times(p, binary(Op::power, x, binary(Op::subtract, p, one)));
      accumulate(x, times(g, where(binary(Op::equal, p, zero), zero, slope)));
    }
    if (!is_constant(p)) accumulate(p, times(g, where(binary(Op::equal, y, zero), zero, times(y, unary(Op::log, x)))));
  }

  bool is_constant(std::int32_t number) const {
    const Node& node = graph_.nodes[static_cast<std::size_t>(number)];
    if (node.op == Op::gather) return std::ranges::all_of(node.arguments, [&](auto a) { return is_constant(a); });
    return node.op == Op::constant;
  }

  void reduction_adjoint(const Node& node, std::int32_t y, std::int32_t g) {
    const auto x = node.arguments[0];
    if (node.op == Op::sum) return accumulate(x, repeat(g, node.inner));
    if (node.op == Op::product) return accumulate(x, times(repeat(g, node.inner), products_of_others(x, node.inner)));
    const auto is_extreme = binary(Op::equal, x, repeat(y, node.inner));
    const auto ties = graph_.add({Op::sum, node.size, {is_extreme}, node.inner});
    Node share{Op::divide, node.size * node.inner, {is_extreme, repeat(ties, node.inner)}};
    share.is_share = true;
    accumulate(x, times(graph_.add(std::move(share)), repeat(g, node.inner)));
  }

  /// C = A B: dA = G B^T, dB = A^T G. Without columns, dA is a sum of nothing that what comes before still multiplies.
  void product_adjoint(const Node& node, std::int32_t g) {
    const auto a = node.arguments[0];
    const auto b = node.arguments[1];
    if (graph_.size_of(a) > 0) accumulate(a, left_adjoint(node, g));
    if (graph_.size_of(b) > 0) accumulate(b, right_adjoint(node, g));
  }

  std::int32_t left_adjoint(const Node& node, std::int32_t g) {
    const auto b_transposed = transposed(node.arguments[1], node.inner, node.columns);
    return matmul(g, b_transposed, node.rows, node.columns, node.inner, graph_.size_of(node.arguments[0]));
  }

  std::int32_t right_adjoint(const Node& node, std::int32_t g) {
    const auto a_transposed = transposed(node.arguments[0], node.rows, node.inner);
    return matmul(a_transposed, g, node.inner, node.rows, node.columns, graph_.size_of(node.arguments[1]));
  }

  void gather_adjoint(const Node& node, std::int32_t g) {
    std::int64_t first = 0;
    for (const auto argument : node.arguments) {
      const auto size = graph_.size_of(argument);
      std::vector<std::int64_t> here, to;
      for (std::int64_t i = 0; i < node.size; ++i) {
        const auto from = node.index[static_cast<std::size_t>(i)] - first;
        if (from < 0 || from >= size) continue;
        here.push_back(i);
        to.push_back(from);
      }
      first += size;
      if (is_selection(to, size)) {
        selections_[static_cast<std::size_t>(argument)].add(g, node.size, here, to);
      } else {
        const auto part = gather(g, std::move(here));
        accumulate(argument, graph_.add({Op::scatter, size, {part}, 0, 0, 0, std::move(to)}));
      }
    }
  }

  /// Each is the other's transpose.
  void indexed_adjoint(const Node& node, std::int32_t g) {
    const auto x = node.arguments[0];
    Node adjoint{node.op == Op::take ? Op::add_at : Op::take, graph_.size_of(x), {g, node.arguments[1]}, node.inner};
    adjoint.index = node.index;
    accumulate(x, graph_.add(std::move(adjoint)));
  }

  /// Each element's goes to where the element was. Positions are flat.
  void ordering_adjoint(const Node& node, std::int32_t g) {
    if (node.op == Op::argsort) return;
    const auto order = graph_.add({Op::argsort, node.size, {node.arguments[0]}, node.inner});
    Node adjoint{Op::add_at, node.size, {g, order}, node.inner};
    for (std::int64_t i = 0; i < node.size; ++i) adjoint.index.push_back(i / node.inner);
    accumulate(node.arguments[0], graph_.add(std::move(adjoint)));
  }

  /// Elements of adjoints, which are joined end to end, and the elements of a node to which they belong.
  struct Selections {
    std::vector<std::int32_t> adjoints = {};
    std::vector<std::int64_t> from = {}, to = {};
    std::int64_t joined = 0;

    void add(std::int32_t g, std::int64_t size, const std::vector<std::int64_t>& here,
             const std::vector<std::int64_t>& there) {
      adjoints.push_back(g);
      for (const auto i : here) from.push_back(joined + i);
      to.insert(to.end(), there.begin(), there.end());
      joined += size;
    }
  };

  /// Whether no element is read twice, as a broadcast reads it. A broadcast keeps a sum of its own.
  static bool is_selection(const std::vector<std::int64_t>& read, std::int64_t size) {
    std::vector<bool> seen(static_cast<std::size_t>(size), false);
    for (const auto i : read) {
      if (seen[static_cast<std::size_t>(i)]) return false;
      seen[static_cast<std::size_t>(i)] = true;
    }
    return true;
  }

  void accumulate_selections(std::int32_t node) {
    Selections selections = std::exchange(selections_[static_cast<std::size_t>(node)], {});
    if (selections.adjoints.empty()) return;
    const auto part = graph_.add(
        {Op::gather, std::ssize(selections.from), std::move(selections.adjoints), 0, 0, 0, std::move(selections.from)});
    accumulate(node, graph_.add({Op::scatter, graph_.size_of(node), {part}, 0, 0, 0, std::move(selections.to)}));
  }

  Graph& graph_;
  std::vector<std::int32_t> adjoints_;  ///< of the nodes of the formula; -1: none yet
  std::vector<Selections> selections_;  ///< of the nodes of the formula, from uses met so far
};

}  // namespace detail

/// Adds the gradients of sum_k <upstream_k, output_k> in the inputs `wrt`, with inputs "upstream0", "upstream1", ...
/// Returns their nodes; adds nothing where `wrt` is empty.
inline std::vector<std::int32_t> differentiate(Graph& graph, std::span<const std::int32_t> wrt) {
  if (wrt.empty()) return {};
  detail::Differentiation reverse(graph);
  for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
    Node upstream{Op::input, graph.size_of(graph.outputs[k])};
    upstream.name = "upstream" + std::to_string(k);
    reverse.seed(graph.outputs[k], graph.add(std::move(upstream)));
  }
  reverse.run();
  std::vector<std::int32_t> gradients;
  for (const auto node : wrt) gradients.push_back(reverse.of(node));
  return gradients;
}

}  // namespace assay::reference::formula
