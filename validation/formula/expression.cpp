#include "validation/formula/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace assay::validation::formula {
namespace {

std::string number_in_words(double value) {
  return std::isnan(value) ? "NaN" : fmt::format("{:.9g}", value);
}

/// "-" of a - b; empty for what is written as a function.
std::string_view sign_of(Op op) {
  switch (op) {
    case Op::add:
      return "+";
    case Op::subtract:
      return "-";
    case Op::multiply:
      return "*";
    case Op::divide:
      return "/";
    case Op::less:
      return "<";
    case Op::less_equal:
      return "<=";
    case Op::equal:
      return "==";
    case Op::matmul:
      return "@";
    default:
      return "";
  }
}

/// In the array API's words.
std::string_view function_of(Op op) {
  switch (op) {
    case Op::largest:
      return "max";
    case Op::smallest:
      return "min";
    case Op::product:
      return "prod";
    default:
      return reference::formula::op_names[static_cast<std::size_t>(op)];
  }
}

/// The operation on texts of its operands.
std::string written(Op op, const std::vector<std::string>& operands) {
  if (const auto sign = sign_of(op); !sign.empty()) return fmt::format("{} {} {}", operands[0], sign, operands[1]);
  if (op == Op::negative) return "-" + operands[0];
  return fmt::format("{}({})", function_of(op), fmt::join(operands, ", "));
}

std::string text_of_constant(const Node& node) {
  const bool is_uniform = std::ranges::all_of(node.values, [&](double x) { return x == node.values[0]; });
  return is_uniform && !node.values.empty() ? number_in_words(node.values[0]) : "a constant";
}

bool takes_all(const Graph& graph, const Node& gather) {
  std::vector<bool> taken(static_cast<std::size_t>(graph.size_of(gather.arguments[0])));
  for (const auto i : gather.index) taken[static_cast<std::size_t>(i)] = true;
  return std::ranges::all_of(taken, [](bool one) { return one; });
}

/// Whether an operand of an operator is itself written with one that binds no more tightly.
bool needs_brackets(const Graph& graph, Op op, std::int32_t argument, const std::string& operand) {
  if ((sign_of(op).empty() && op != Op::negative) || operand.find(' ') == std::string::npos) return false;
  const Node* node = &graph.nodes[static_cast<std::size_t>(argument)];
  while (node->op == Op::gather && node->arguments.size() == 1)
    node = &graph.nodes[static_cast<std::size_t>(node->arguments[0])];
  if (sign_of(node->op).empty()) return false;
  const bool is_sum = op == Op::add || op == Op::subtract;
  return !is_sum || (node->op != Op::multiply && node->op != Op::divide);
}

std::string expression_at(const Graph& graph, std::int32_t number, int depth, int deepest) {
  const Node& node = graph.nodes[static_cast<std::size_t>(number)];
  if (!node.name.empty() && (depth > 0 || node.op == Op::input)) return node.name;
  if (node.op == Op::constant) return text_of_constant(node);
  if (node.op == Op::pi) return "pi";
  if (node.op == Op::gather && node.arguments.size() == 1) {
    const std::string copied = expression_at(graph, node.arguments[0], std::max(depth, 1), deepest);
    return takes_all(graph, node) || copied.ends_with("[...]") ? copied : copied + "[...]";
  }
  if (depth > deepest) return "...";
  std::vector<std::string> operands;
  for (const auto argument : node.arguments) {
    std::string operand = expression_at(graph, argument, depth + 1, deepest);
    operands.push_back(needs_brackets(graph, node.op, argument, operand) ? "(" + operand + ")" : std::move(operand));
  }
  if (node.op == Op::cast) operands.push_back(fmt::format("\"{}\"", node.cast.format->name));
  return written(node.op, operands);
}

/// Visits the elements that an add_at adds, or the one that a take takes.
void for_each_indexed(const Node& node, const Doubles& values, std::size_t i,
                      const std::function<void(std::size_t node, std::size_t element)>& visit) {
  const auto from = static_cast<std::size_t>(node.arguments[0]), indices = static_cast<std::size_t>(node.arguments[1]);
  const auto place_of = [&](std::size_t j) { return reference::formula::detail::place(node, values[indices], j); };
  if (node.op == Op::take) {
    if (place_of(i) >= 0) visit(from, static_cast<std::size_t>(place_of(i)));
    return visit(indices, i);
  }
  for (std::size_t j = 0; j < node.index.size(); ++j)
    if (std::cmp_equal(place_of(j), i)) visit(from, j);
}

}  // namespace

std::string expression_of(const Graph& graph, std::int32_t node) {
  constexpr std::size_t longest = 60;
  std::string text;
  for (int deepest = 3; deepest > 0; --deepest) {
    text = expression_at(graph, node, 0, deepest);
    if (text.size() <= longest) break;
  }
  return text;
}

std::int32_t line_of(const Graph& graph, std::int32_t node) {
  for (auto n = static_cast<std::size_t>(node); n < graph.nodes.size(); ++n) {
    const Node& one = graph.nodes[n];
    if (std::cmp_not_equal(n, node) && std::ranges::find(one.arguments, node) == one.arguments.end()) continue;
    if (one.line != 0) return one.line;
    if (std::cmp_not_equal(n, node)) return line_of(graph, static_cast<std::int32_t>(n));
  }
  return 0;
}

void for_each_operand(const Graph& graph, const Doubles& values, std::size_t n, std::size_t i,
                      const std::function<void(std::size_t node, std::size_t element)>& visit) {
  const Node& node = graph.nodes[n];
  const auto argument = [&](std::size_t k) { return static_cast<std::size_t>(node.arguments[k]); };
  const auto inner = static_cast<std::size_t>(node.inner), columns = static_cast<std::size_t>(node.columns);
  if (node.op == Op::gather) {
    auto at = node.index[i];
    for (const auto one : node.arguments) {
      if (at < graph.size_of(one)) return visit(static_cast<std::size_t>(one), static_cast<std::size_t>(at));
      at -= graph.size_of(one);
    }
  } else if (node.op == Op::scatter) {
    for (std::size_t j = 0; j < node.index.size(); ++j)
      if (std::cmp_equal(node.index[j], i)) visit(argument(0), j);
  } else if (is_indexed(node.op)) {
    for_each_indexed(node, values, i, visit);
  } else if (node.op == Op::matmul) {
    const std::size_t row = i / columns, first = row / static_cast<std::size_t>(node.rows) * inner * columns;
    for (std::size_t k = 0; k < inner; ++k) {
      visit(argument(0), row * inner + k);
      visit(argument(1), first + k * columns + i % columns);
    }
  } else if (is_ordering(node.op)) {
    for (std::size_t k = i - i % inner; k < i - i % inner + inner; ++k) visit(argument(0), k);
  } else if (is_reduction(node.op)) {
    for (std::size_t k = 0; k < inner; ++k) visit(argument(0), i * inner + k);
  } else if (node.op == Op::cumulative_sum) {
    for (std::size_t k = i - i % inner; k <= i; ++k) visit(argument(0), k);
  } else if (node.op == Op::where) {
    visit(argument(0), i);
    visit(argument(values[argument(0)][i] > 0 ? 1 : 2), i);
  } else {
    for (std::size_t k = 0; k < node.arguments.size(); ++k) visit(argument(k), i);
  }
}

std::string event_of(const Graph& graph, const Doubles& values, std::size_t n, std::size_t i,
                     const std::string& result) {
  const Node& node = graph.nodes[n];
  if (node.op == Op::sum || node.op == Op::product || node.op == Op::matmul) {
    const char* const what = node.op == Op::product ? "product of {} factors = {}" : "sum of {} terms = {}";
    return fmt::format(fmt::runtime(what), node.inner, result);
  }
  if (node.op == Op::cumulative_sum)
    return fmt::format("sum of {} terms = {}", i % static_cast<std::size_t>(node.inner) + 1, result);
  std::vector<std::string> operands;
  for_each_operand(graph, values, n, i,
                   [&](std::size_t m, std::size_t j) { operands.push_back(number_in_words(values[m][j])); });
  if (operands.empty()) return result;
  constexpr std::size_t most = 3;
  if (operands.size() > most) operands = {operands[0], operands[1], "..."};
  if (node.op == Op::where) operands.insert(operands.begin() + 1, "...");
  return fmt::format("{} = {}", written(node.op, operands), result);
}

}  // namespace assay::validation::formula
