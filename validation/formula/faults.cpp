#include "validation/formula/faults.h"

#include <algorithm>
#include <numbers>

namespace assay::validation::formula {
namespace {

std::int32_t gathered(Graph& graph, std::int32_t argument, std::vector<std::int64_t> index) {
  return graph.add({Op::gather, std::ssize(index), {argument}, 0, 0, 0, std::move(index)});
}

/// Columns [first, last) of an argument [rows, inner].
std::int32_t columns(Graph& graph, std::int32_t argument, std::int64_t inner, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> index;
  for (std::int64_t i = 0; i < graph.size_of(argument); ++i)
    if (i % inner >= first && i % inner < last) index.push_back(i);
  return gathered(graph, argument, std::move(index));
}

/// The reduction over [first, last) of `inner` terms.
std::int32_t shortened(Graph& graph, Node node, std::int64_t first, std::int64_t last) {
  if (node.inner == 0 || first >= last) return graph.add(std::move(node));
  if (node.op == Op::matmul) {
    std::vector<std::int64_t> index;  // of the right factor [batch, inner, columns]
    for (std::int64_t i = 0; i < graph.size_of(node.arguments[1]); ++i)
      if (const std::int64_t k = i / node.columns % node.inner; k >= first && k < last) index.push_back(i);
    node.arguments[1] = gathered(graph, node.arguments[1], std::move(index));
  }
  node.arguments[0] = columns(graph, node.arguments[0], node.inner, first, last);
  node.inner = last - first;
  return graph.add(std::move(node));
}

std::int32_t constant(Graph& graph, std::int64_t size, double value) {
  return graph.add({Op::constant, size, {}, 0, 0, 0, {}, std::vector<double>(static_cast<std::size_t>(size), value)});
}

std::int32_t with_op(Graph& graph, Node node, Op op) {
  node.op = op;
  return graph.add(std::move(node));
}

/// A cumulative sum whose blocks do not know of the blocks before them.
std::int32_t without_carry(Graph& graph, const Node& node, std::int64_t block) {
  const auto whole = graph.add(node), zero = constant(graph, 1, 0);
  std::vector<std::int64_t> before;
  for (std::int64_t i = 0; i < node.size; ++i) {
    const std::int64_t within = i % node.inner;
    before.push_back(within < block ? node.size : i - within % block - 1);
  }
  const auto carry = graph.add({Op::gather, node.size, {whole, zero}, 0, 0, 0, std::move(before)});
  return graph.add({Op::subtract, node.size, {whole, carry}});
}

std::int32_t of_two(Graph& graph, Op op, std::int32_t a, std::int32_t b) {
  return graph.add({op, graph.size_of(a), {a, b}});
}

std::int32_t scaled(Graph& graph, std::int32_t argument, double factor) {
  return of_two(graph, Op::multiply, argument, constant(graph, graph.size_of(argument), factor));
}

/// tanh(2 / sqrt(pi) (x + 0.08943 x^3)): that of the fast GELU, which is off by 5e-4.
std::int32_t tanh_for_erf(Graph& graph, const Node& node) {
  const auto x = node.arguments[0], square = of_two(graph, Op::multiply, x, x);
  const auto inner = of_two(graph, Op::add, x, scaled(graph, of_two(graph, Op::multiply, square, x), 0.08943));
  return graph.add({Op::tanh, node.size, {scaled(graph, inner, 2 * std::numbers::inv_sqrtpi)}});
}

/// The argument less a multiple of 2 pi in float32, which is off by 1.7e-7 for each turn.
std::int32_t with_rounded_turns(Graph& graph, Node node) {
  const auto x = node.arguments[0],
             turns = graph.add({Op::round, node.size, {scaled(graph, x, 0.5 / std::numbers::pi)}});
  node.arguments[0] = of_two(graph, Op::subtract, x, scaled(graph, turns, 2 * std::numbers::pi_v<float>));
  return graph.add(std::move(node));
}

/// To the next whole number toward 0.
std::int32_t cut(Graph& graph, const Node& node) {
  const auto x = node.arguments[0];
  const auto below = graph.add({Op::floor, node.size, {graph.add({Op::abs, node.size, {x}})}});
  return of_two(graph, Op::multiply, below, graph.add({Op::sign, node.size, {x}}));
}

std::int32_t with_halves_up(Graph& graph, const Node& node) {
  return graph.add(
      {Op::floor, node.size, {of_two(graph, Op::add, node.arguments[0], constant(graph, node.size, 0.5))}});
}

/// Index 0 in the place of the last that there is.
std::int32_t without_the_last_index(Graph& graph, Node node) {
  const auto at = node.arguments[1];
  const std::int64_t count = graph.size_of(at);
  const auto last = constant(graph, count, static_cast<double>(node.inner - 1));
  const auto is_last = graph.add({Op::equal, count, {at, last}});
  node.arguments[1] = graph.add({Op::where, count, {is_last, constant(graph, count, 0), at}});
  return graph.add(std::move(node));
}

std::int32_t without_the_last_value(Graph& graph, Node node) {
  const auto values = node.arguments[0];
  const std::int64_t count = graph.size_of(values);
  std::vector<double> kept(static_cast<std::size_t>(count), 1);
  if (count > 0) kept.back() = 0;
  const auto factors = graph.add({Op::constant, count, {}, 0, 0, 0, {}, std::move(kept)});
  node.arguments[0] = of_two(graph, Op::multiply, values, factors);
  return graph.add(std::move(node));
}

using Faults = std::vector<std::pair<std::string, Fault>>;

/// The cast with another rounding.
Fault rounded_so(reference::Rounding rounding) {
  return [rounding](Graph& g, Node n) {
    n.cast.rounding = rounding;
    return g.add(std::move(n));
  };
}

Faults faults_of_cast() {
  return {{"is left out", [](Graph&, const Node& n) { return n.arguments[0]; }},
          {"cuts toward 0", rounded_so(reference::Rounding::zero)},
          {"takes ties away from 0", rounded_so(reference::Rounding::nearest_away)},
          {"goes up", rounded_so(reference::Rounding::up)},
          {"loses its sign", [](Graph& g, Node n) {
             n.arguments[0] = g.add({Op::abs, n.size, {n.arguments[0]}});
             return g.add(std::move(n));
           }}};
}

Faults faults_of_function(Op op) {
  Faults faults;
  if (op != Op::sign) faults.emplace_back("is left out", [](Graph&, const Node& n) { return n.arguments[0]; });
  if (op == Op::erf) faults.emplace_back("is the tanh of the fast GELU", tanh_for_erf);
  if (op == Op::sin || op == Op::cos) faults.emplace_back("takes off turns of 2 pi in float32", with_rounded_turns);
  if (op == Op::floor) faults.emplace_back("goes toward 0", cut);
  if (op == Op::round) faults.emplace_back("takes halves up", with_halves_up);
  return faults;
}

}  // namespace

std::vector<std::pair<std::string, Fault>> faults_of(Op op, bool grows_large) {
  constexpr std::int64_t tile = 16;
  Faults faults;
  faults.reserve(8);  // without which GCC 12 sees an access outside of an empty vector
  if (is_reduction(op) || op == Op::matmul) {
    faults.emplace_back("leaves out its last element",
                        [](Graph& g, const Node& n) { return shortened(g, n, 0, n.inner - 1); });
    faults.emplace_back("leaves out its first element",
                        [](Graph& g, const Node& n) { return shortened(g, n, 1, n.inner); });
    faults.emplace_back("leaves out the last tile of 16", [](Graph& g, const Node& n) {
      return shortened(g, n, 0, n.inner > tile ? (n.inner - 1) / tile * tile : n.inner);
    });
    if (grows_large)
      faults.emplace_back("leaves out all from the 1024th on", [](Graph& g, const Node& n) {
        return shortened(g, n, 0, std::min<std::int64_t>(n.inner, 1023));
      });
  }
  if (op == Op::cumulative_sum) {
    faults.emplace_back("leaves out the element itself", [](Graph& g, const Node& n) {
      const auto whole = g.add(n);
      return g.add({Op::subtract, n.size, {whole, n.arguments[0]}});
    });
    faults.emplace_back("begins anew with each 16 elements",
                        [](Graph& g, const Node& n) { return without_carry(g, n, tile); });
    if (grows_large)
      faults.emplace_back("begins anew with each 256 elements",
                          [](Graph& g, const Node& n) { return without_carry(g, n, 256); });
  }
  if (op == Op::largest) faults.emplace_back("is 0", [](Graph& g, const Node& n) { return constant(g, n.size, 0); });
  if (op == Op::less || op == Op::less_equal)
    faults.emplace_back("is off by one", [op](Graph& g, const Node& n) {
      return with_op(g, n, op == Op::less ? Op::less_equal : Op::less);
    });
  if (op == Op::where) {
    faults.emplace_back("takes its second argument always", [](Graph&, const Node& n) { return n.arguments[1]; });
    faults.emplace_back("takes its third argument always", [](Graph&, const Node& n) { return n.arguments[2]; });
  }
  if (op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide || op == Op::maximum ||
      op == Op::minimum || op == Op::logaddexp || op == Op::power)
    faults.emplace_back("forgets its second argument", [](Graph&, const Node& n) { return n.arguments[0]; });
  if (is_ordering(op))
    faults.emplace_back("goes down", [](Graph& g, Node n) {
      n.arguments[0] = g.add({Op::negative, n.size, {n.arguments[0]}});
      const auto falling = g.add(n);
      return n.op == Op::sort ? g.add({Op::negative, n.size, {falling}}) : falling;
    });
  if (is_indexed(op)) faults.emplace_back("takes index 0 in the place of the last", without_the_last_index);
  if (op == Op::add_at) faults.emplace_back("leaves out its last value", without_the_last_value);
  if (is_unary(op)) return faults_of_function(op);
  if (op == Op::cast) return faults_of_cast();
  return faults;
}

bool repeats_a_maximum(const Graph& graph, const Node& node) {
  if (node.op != Op::gather || node.arguments.size() != 1) return false;
  const Node& largest = graph.nodes[static_cast<std::size_t>(node.arguments[0])];
  if (largest.op != Op::largest || node.size != largest.size * largest.inner) return false;
  for (std::int64_t i = 0; i < node.size; ++i)
    if (node.index[static_cast<std::size_t>(i)] != i / largest.inner) return false;
  return true;
}

std::int32_t maximum_so_far(Graph& graph, const Node& node) {
  if (!repeats_a_maximum(graph, node)) return graph.add(node);
  const Node largest = graph.nodes[static_cast<std::size_t>(node.arguments[0])];  // a copy: adding nodes moves it
  std::int32_t so_far = largest.arguments[0];
  for (std::int64_t step = 1; step < largest.inner; step *= 2) {
    std::vector<std::int64_t> before;
    for (std::int64_t i = 0; i < node.size; ++i) before.push_back(i % largest.inner < step ? i : i - step);
    so_far = graph.add({Op::maximum, node.size, {so_far, gathered(graph, so_far, std::move(before))}});
  }
  return so_far;
}

}  // namespace assay::validation::formula
