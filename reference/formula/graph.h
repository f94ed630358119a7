// The graph of a formula: nodes in the order of evaluation, each an array of `size` elements in a row.
//
//   pi                of one element
//   elementwise       add ... power, comparisons (1 or 0), where(condition, a, b): arguments of the node's size
//   sum, product,     over rows of `inner` consecutive elements of the argument [size, inner]
//   largest, smallest
//   matmul            [batch, rows, inner] x [batch, inner, columns]
//   gather            element i is element index[i] of the arguments, which are joined end to end
//   scatter           element i is the sum of the argument's elements j with index[j] = i: the transpose of gather
//   take, add_at      as gather and scatter, with indices that are an argument: indexing.h
//   cumulative_sum    element i is the sum of elements 0..i of the argument's row, of rows of `inner` elements
//   cast              elements rounded to a small format: number/small_format.h
//   sort, argsort     rows of `inner` elements in rising order, and the positions of these elements in the row: ordering.h
//
// Shapes are left to the author of the graph: slices, transposes, broadcasts and concatenations are all a gather.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/number/small_format.h"

namespace assay::reference::formula {

enum class Op : std::uint8_t {
  input,
  pi,
  constant,
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum,
  logaddexp,
  power,
  less,
  less_equal,
  equal,
  negative,
  abs,
  sign,
  exp,
  expm1,
  log,
  log1p,
  sqrt,
  sin,
  cos,
  erf,
  floor,
  round,
  sigmoid,
  tanh,
  where,
  sum,
  product,
  largest,
  smallest,
  matmul,
  gather,
  scatter,
  take,
  add_at,
  cumulative_sum,
  sort,
  argsort,
  cast,
};

inline constexpr std::array<std::string_view, 43> op_names = {
    "input",   "pi",        "constant", "add",     "subtract",   "multiply", "divide",   "maximum",
    "minimum", "logaddexp", "power",    "less",    "less_equal", "equal",    "negative", "abs",
    "sign",    "exp",       "expm1",    "log",     "log1p",      "sqrt",     "sin",      "cos",
    "erf",     "floor",     "round",    "sigmoid", "tanh",       "where",    "sum",      "product",
    "largest", "smallest",  "matmul",   "gather",  "scatter",    "take",     "add_at",   "cumulative_sum",
    "sort",    "argsort",   "cast"};

inline Op op_called(std::string_view name) {
  for (std::size_t i = 0; i < op_names.size(); ++i)
    if (op_names[i] == name) return static_cast<Op>(i);
  throw std::invalid_argument("op = '" + std::string(name) + "': expected one of the names in formula/graph.h");
}

constexpr bool is_binary(Op op) {
  return op >= Op::add && op <= Op::equal;
}
constexpr bool is_unary(Op op) {
  return op >= Op::negative && op <= Op::tanh;
}
constexpr bool is_indexed(Op op) {
  return op == Op::take || op == Op::add_at;
}
constexpr bool is_ordering(Op op) {
  return op == Op::sort || op == Op::argsort;
}
constexpr bool is_reduction(Op op) {
  return op >= Op::sum && op <= Op::smallest;
}

struct Node {
  Op op = Op::input;
  std::int64_t size = 0;
  std::vector<std::int32_t> arguments = {};
  std::int64_t inner = 0;                ///< of a reduction, of matmul, of cumulative_sum, take, add_at and sort
  std::int64_t rows = 0, columns = 0;    ///< of matmul
  std::vector<std::int64_t> index = {};  ///< of gather and scatter; of take and add_at the rows
  std::vector<double> values = {};       ///< of a constant; of a rounded input the numbers before
  std::string name = {};                 ///< of an input
  bool is_whole = false;                 ///< an input of indices or flags, which no kernel rounds
  std::int32_t line = 0;                 ///< of the formula's source, 0 where there is none
  bool running = false;   ///< a sum that kernels may take in another way, as a running mean is: never exact
  bool is_slope = false;  ///< a quotient that is a derivative: by 0 there is none
  bool is_share =
      false;       ///< a quotient or comparison that is a share among ties, in [0, 1], or a where that is shared so
  Cast cast = {};  ///< of a cast
  bool is_rounded = false;  ///< an input that a kernel rounded, and may go on with as it was before
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<std::int32_t> outputs;

  /// Adds a node and returns its number. Throws std::invalid_argument where sizes do not fit together.
  std::int32_t add(Node node) {
    require_fits(node);
    nodes.push_back(std::move(node));
    return static_cast<std::int32_t>(nodes.size()) - 1;
  }

  std::int64_t size_of(std::int32_t node) const { return nodes[static_cast<std::size_t>(node)].size; }

  std::int64_t elements() const {
    std::int64_t total = 0;
    for (const Node& node : nodes) total += node.size + (node.op == Op::matmul ? node.size * node.inner : 0);
    return total;
  }

  /// The node of the input called `name`, or -1.
  std::int32_t input(std::string_view name) const {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].op == Op::input && nodes[i].name == name) return static_cast<std::int32_t>(i);
    return -1;
  }

 private:
  [[noreturn]] static void refuse(const Node& node, const std::string& expected) {
    throw std::invalid_argument(std::string(op_names[static_cast<std::size_t>(node.op)]) + " of size " +
                                std::to_string(node.size) + ": expected " + expected);
  }

  static void require(bool holds, const Node& node, const char* expected) {
    if (!holds) refuse(node, expected);
  }

  void require_fits(const Node& node) const {
    std::int64_t joined = 0;
    for (const auto argument : node.arguments) {
      require(argument >= 0 && argument < std::ssize(nodes), node, "arguments that were added before");
      joined += size_of(argument);
    }
    const std::size_t count = is_binary(node.op) || is_indexed(node.op) || node.op == Op::matmul ? 2
                              : node.op == Op::where                                             ? 3
                                                                                                 : 1;
    if (node.op != Op::gather && node.op > Op::constant && node.arguments.size() != count)
      refuse(node, std::to_string(count) + " arguments");
    if (is_binary(node.op) || is_unary(node.op) || node.op == Op::where || node.op == Op::cast)
      for (const auto argument : node.arguments)
        require(size_of(argument) == node.size, node, "arguments of this size");
    if (node.op == Op::cast) require(node.cast.format != nullptr, node, "a format");
    if (node.op == Op::constant) require(std::ssize(node.values) == node.size, node, "as many values");
    if (is_reduction(node.op)) require(joined == node.size * node.inner, node, "an argument of size times inner");
    if (node.op == Op::matmul) require_product(node);
    if (node.op == Op::cumulative_sum || is_ordering(node.op))
      require(joined == node.size && (node.inner == 0 ? node.size == 0 : node.size % node.inner == 0), node,
              "an argument of this size, in rows of inner elements");
    if (node.op == Op::gather) require_index(node, node.size, joined);
    if (node.op == Op::scatter) require_index(node, joined, node.size);
    if (is_indexed(node.op)) require_rows(node);
  }

  void require_product(const Node& node) const {
    const std::int64_t each = node.rows * node.columns;
    const std::int64_t batch = each > 0 ? node.size / each : 0;
    require(each == 0 ? node.size == 0 : node.size % each == 0, node, "a multiple of rows times columns");
    if (each == 0) return;
    require(size_of(node.arguments[0]) == batch * node.rows * node.inner, node, "a left factor [batch, rows, inner]");
    require(size_of(node.arguments[1]) == batch * node.inner * node.columns, node,
            "a right factor [batch, inner, columns]");
  }

  void require_rows(const Node& node) const {
    const bool takes = node.op == Op::take;
    const std::int64_t count = size_of(node.arguments[1]), whole = takes ? size_of(node.arguments[0]) : node.size;
    require(count == (takes ? node.size : size_of(node.arguments[0])), node, "an index for each element");
    require(node.inner > 0 ? whole % node.inner == 0 : count == 0, node, "rows of inner elements");
    require_index(node, count, node.inner > 0 ? whole / node.inner : 0);
  }

  void require_index(const Node& node, std::int64_t count, std::int64_t end) const {
    if (std::ssize(node.index) != count) refuse(node, std::to_string(count) + " indices");
    const bool are_below = std::ranges::all_of(node.index, [end](std::int64_t i) { return i >= 0 && i < end; });
    if (!are_below) refuse(node, "indices below " + std::to_string(end));
  }
};

}  // namespace assay::reference::formula
