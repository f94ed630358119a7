#include "validation/formula/declared.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "validation/core/judged.h"
#include "validation/formula/expression.h"

namespace assay::validation::formula {
namespace {

bool has_operands(Op op) {
  return op == Op::sum || op == Op::cumulative_sum || op == Op::add || op == Op::subtract;
}

}  // namespace

double size_of_operands(const Graph& graph, const Doubles& values, std::size_t n, std::size_t i) {
  double size = 0;
  if (has_operands(graph.nodes[n].op))
    for_each_operand(graph, values, n, i, [&](std::size_t m, std::size_t j) { size += std::abs(values[m][j]); });
  return std::isfinite(size) ? size : 0;
}

void require_names(const std::vector<std::shared_ptr<const Traced>>& formulas, const Arithmetic& arithmetic) {
  std::set<std::string> known;
  for (const auto& formula : formulas)
    for (const Node& node : formula->graph.nodes) {
      if (node.name.empty()) continue;
      known.insert(node.name);
      if (has_operands(node.op)) known.insert(node.name + of_operands);
    }
  const auto require = [&](const std::string& name) {
    if (!known.contains(name))
      throw std::invalid_argument(fmt::format("rounds has '{}': expected one of {}", name, fmt::join(known, ", ")));
  };
  for (const auto& [name, type] : arithmetic.kept) {
    require(name);
    if (name.ends_with(of_operands))
      throw std::invalid_argument(
          fmt::format("rounds['{}'] is a type: expected a number of roundings of operands, or "
                      "the name of a value",
                      name));
  }
  for (const auto& [name, count] : arithmetic.rounds) {
    require(name);
    if (!(count >= 0))
      throw std::invalid_argument(fmt::format("rounds['{}'] = {}: expected a number of at least 0", name, count));
  }
}

Arithmetic without_declared(Arithmetic arithmetic) {
  const Arithmetic plain;
  const Dtype usual = arithmetic.storage == Dtype::float64 ? Dtype::float64 : Dtype::float32;
  for (Dtype* type : {&arithmetic.compute, &arithmetic.accumulate})
    if (format_of(*type).roundoff > format_of(usual).roundoff) *type = usual;
  arithmetic.exp_error = std::min(arithmetic.exp_error, 2 * plain.exp_error);  // 8, as functions of PyTorch have it
  arithmetic.input_roundoff = 0;
  arithmetic.partial = {};
  arithmetic.rounds.clear();
  arithmetic.kept.clear();
  arithmetic.products.reset();
  return arithmetic;
}

double widest_share(const Arithmetic& arithmetic, Dtype storage) {
  const double compute = computing(arithmetic).roundoff;
  double largest = std::max({format_of(storage).roundoff, compute, format_of(arithmetic.accumulate).roundoff,
                             arithmetic.exp_error * compute, arithmetic.input_roundoff, arithmetic.partial.roundoff});
  for (const auto& [name, count] : arithmetic.rounds) largest = std::max(largest, count * compute);
  if (arithmetic.products || !arithmetic.kept.empty()) largest = std::max(largest, 0x1p-8);  // bfloat16's
  return validation::widest_share(largest);
}

DeclaredRoundings::DeclaredRoundings(const Graph& graph, const Doubles& values, const Arithmetic& arithmetic)
    : graph_(graph), values_(values), format_(computing(arithmetic)), flushes_(arithmetic.flushes_subnormals) {
  if (arithmetic.rounds.empty() && arithmetic.kept.empty()) return;
  const auto count = [&](const std::string& name) {
    const auto found = arithmetic.rounds.find(name);
    return found == arithmetic.rounds.end() ? 0 : found->second;
  };
  for (const Node& node : graph.nodes) {
    Counts& counts = counts_.emplace_back();
    if (node.name.empty()) continue;
    counts = {count(node.name), count(node.name + of_operands)};
    if (const auto found = arithmetic.kept.find(node.name); found != arithmetic.kept.end()) counts.kept = found->second;
  }
}

double DeclaredRoundings::of(std::size_t n, std::size_t i, double error) const {
  if (counts_.empty() || !std::isfinite(values_[n][i])) return 0;
  const auto [own, operands, type] = counts_[n];
  const double carried = operands > 0 ? operands * size_of_operands(graph_, values_, n, i) : 0;
  const double counted =
      format_.roundoff * (own * std::abs(values_[n][i]) + carried) + (own + operands) * format_.smallest;
  return counted + (type ? kept_error(*type, values_[n][i], error + counted, flushes_) : 0);
}

}  // namespace assay::validation::formula
