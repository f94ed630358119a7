#include "validation/formula/quantisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "validation/core/infinity.h"
#include "validation/core/number.h"
#include "validation/formula/computed.h"
#include "validation/formula/shares.h"
#include "validation/formula/within_bounds.h"

namespace assay::validation::formula {

using reference::BigFloat;
using reference::Cast;
using reference::Rounding;

double cast_error(const Cast& cast, Operand x, double value) {
  if (!(x.error < infinity)) return infinity;
  if (std::isnan(x.value)) return cast.format->specials == reference::Specials::none ? infinity : x.error;
  if (x.error == 0 && cast.rounding != Rounding::stochastic) return 0;
  const Interval from = interval_of(x.value, x.error);
  const auto [lower, upper] = reference::rounded_ends(cast, from.lower, from.upper);
  const bool is_beyond = std::isnan(lower) && std::isnan(upper) && from.lower * from.upper > 0;
  if (lower == upper || is_beyond) return 0;
  const double error = std::max(upper - value, value - lower);
  return std::isfinite(error) ? error : infinity;
}

const Cast* cast_of(const Graph& graph, std::int32_t number) {
  const Node& node = graph.nodes[static_cast<std::size_t>(number)];
  if (node.op == Op::cast) return &node.cast;
  if (node.op != Op::gather || node.arguments.empty()) return nullptr;
  const Cast* const first = cast_of(graph, node.arguments[0]);
  const bool are_alike = std::ranges::all_of(node.arguments, [&](std::int32_t one) {
    const Cast* const cast = cast_of(graph, one);
    return first != nullptr && cast != nullptr && cast->format == first->format;
  });
  return are_alike ? first : nullptr;
}

namespace {

Interval merged(const Interval& a, double value, double error) {
  const bool is_apart = a.upper - value >= error || value - a.lower >= error;
  return is_apart ? a : Interval{value - error, value + error};
}

bool is_whole(double x) {
  return std::abs(x) < 0x1p53 && x == std::trunc(x);
}

/// What a function that never falls makes of what its arguments may be.
template <class Function>
Interval mapped(const Interval& a, const Interval& b, Function function) {
  return {function(a.lower, b.lower), function(a.upper, b.upper)};
}

}  // namespace

Interval possible(const Graph& graph, const Doubles& values, const Doubles& errors, std::int32_t number,
                  std::size_t element) {
  const auto [node_number, i] = original_of(graph, number, element);
  const auto n = static_cast<std::size_t>(node_number);
  const Node& node = graph.nodes[n];
  const double value = values[n][i], error = errors[n][i];
  if (error == 0) return {value, value};
  const auto of = [&](std::size_t k) { return possible(graph, values, errors, node.arguments[k], i); };
  const auto is_exact = [&](std::size_t k) { return errors[static_cast<std::size_t>(node.arguments[k])][i] == 0; };
  switch (node.op) {
    case Op::cast: {
      const Interval x = of(0);
      const auto [lower, upper] = reference::rounded_ends(node.cast, x.lower, x.upper);
      return merged({lower, upper}, value, error);  // a factor may have been rounded before, which x does not tell
    }
    case Op::round:
      return mapped(of(0), of(0), [](double x, double) { return std::nearbyint(x); });
    case Op::floor:
      return mapped(of(0), of(0), [](double x, double) { return std::floor(x); });
    case Op::add:  // of whole numbers, such as a zero point
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        const double other = values[static_cast<std::size_t>(node.arguments[1 - k])][i];
        const Interval x = of(k);
        const bool are_whole = std::ranges::all_of(std::array{x.lower, x.upper, other}, is_whole);
        if (is_exact(1 - k) && are_whole) return {x.lower + other, x.upper + other};
      }
      break;
    case Op::maximum:
      return mapped(of(0), of(1), [](double a, double b) { return std::max(a, b); });
    case Op::minimum:
      return mapped(of(0), of(1), [](double a, double b) { return std::min(a, b); });
    case Op::where:
      if (is_exact(0)) return of(values[static_cast<std::size_t>(node.arguments[0])][i] > 0 ? 1 : 2);
      break;
    default:
      break;
  }
  return interval_of(value, error);
}

void find_casts(Subject& subject) {
  constexpr std::int64_t small = 5;
  Extents at;
  for (const auto& name : subject.specification.extents) at[name] = taken_size(subject.specification, name, small);
  const auto traced = subject.trace(at);
  for (const Node& node : traced->graph.nodes)
    if (node.op == Op::cast &&
        std::ranges::find(subject.specification.casts, node.cast.format) == subject.specification.casts.end())
      subject.specification.casts.push_back(node.cast.format);
  subject.specification.has_codes =
      std::ranges::any_of(traced->graph.outputs, [&](auto node) { return cast_of(traced->graph, node) != nullptr; });
}

namespace {

/// The values of all nodes.
Doubles exact_values(const Graph& graph, const InputArrays& arrays, int digits) {
  const reference::PrecisionScope scope(digits * 3 / 2);
  Doubles values;
  reference::formula::evaluate<BigFloat>(
      graph, [&](const std::string& name) { return arrays.at(name); },
      [&](const Node&, const std::vector<BigFloat>& exact) {
        auto& node = values.emplace_back();
        for (const BigFloat& x : exact) node.push_back(to_double(x));
      },
      graph.outputs);
  return values;
}

/// The formula, in which results that codes are computed from are inputs: what the kernel gave.
class Given {
 public:
  InputArrays arrays;

  Given(const Subject& subject, const Case& c, const Traced& traced, const Doubles& got)
      : graph_{{traced.graph.nodes.begin(), traced.graph.nodes.begin() + traced.formula_nodes}, traced.graph.outputs} {
    for (std::size_t i = 0; i < c.arrays.size(); ++i) arrays[subject.specification.inputs[i].name] = c.arrays[i];
    const Doubles exact = exact_values(graph_, arrays, subject.digits);
    for (std::size_t k = 0; k < graph_.outputs.size(); ++k) give(k, got[k], exact);
  }

  /// The graph with these inputs but for that of result `k` itself.
  Graph without(std::size_t k) const {
    Graph graph = graph_;
    const std::string own = fmt::format("result {}", k);
    for (const auto& [number, node] : given_)
      if (node.name != own) graph.nodes[static_cast<std::size_t>(number)] = node;
    return graph;
  }

 private:
  /// A result may be a copy in another order, such as a transposed scale.
  void give(std::size_t k, const std::vector<double>& got, const Doubles& exact) {
    const std::int32_t number = graph_.outputs[k];
    std::vector<std::int64_t> places(got.size(), -1);
    std::int32_t base = number;
    if (!got.empty()) base = original_of(graph_, number, 0).node;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Original original = original_of(graph_, number, i);
      if (original.node != base) return;
      places[i] = static_cast<std::int64_t>(original.element);
    }
    Node& node = graph_.nodes[static_cast<std::size_t>(base)];
    if (node.op == Op::input || node.op == Op::constant || !is_used(base)) return;
    std::vector<double> values(static_cast<std::size_t>(node.size), std::nan(""));
    for (std::size_t i = 0; i < got.size(); ++i) values[static_cast<std::size_t>(places[i])] = got[i];
    if (std::ranges::any_of(values, [](double x) { return std::isnan(x); })) return;  // not all of it is returned
    Node input{Op::input, node.size};
    input.name = fmt::format("result {}", k);
    input.is_rounded = cast_of(graph_, base) == nullptr;  // numbers of a small format are what they are
    input.is_whole = !input.is_rounded;
    input.values = exact[static_cast<std::size_t>(base)];
    arrays[input.name] = std::move(values);
    given_.emplace_back(base, std::move(input));
  }

  /// Whether another result is computed from the node by more than a copy.
  bool is_used(std::int32_t base) const {
    return std::ranges::any_of(graph_.nodes, [&](const Node& node) {
      return node.op != Op::gather && std::ranges::any_of(node.arguments, [&](auto argument) {
               return graph_.size_of(argument) > 0 && original_of(graph_, argument, 0).node == base;
             });
    });
  }

  Graph graph_;
  std::vector<std::pair<std::int32_t, Node>> given_;
};

/// One result, and what its elements are rounded from.
struct Codes {
  std::string name;
  const Shape& shape;
  const Graph& graph;
  const Doubles& values;
  const Doubles& errors;
  std::int32_t node;
};

/// Which other rounding would have given the number.
std::string cause_of(const Cast& cast, double x, double got) {
  static constexpr auto roundings =
      std::to_array<std::pair<Rounding, const char*>>({{Rounding::zero, "cutting toward 0"},
                                                       {Rounding::nearest_away, "taking ties away from 0"},
                                                       {Rounding::nearest_even, "rounding to nearest, ties to even"},
                                                       {Rounding::up, "rounding up"}});
  for (const auto& [rounding, words] : roundings)
    if (rounding != cast.rounding && reference::rounded_to(Cast{cast.format, rounding, cast.saturates}, x) == got)
      return fmt::format("\n  {} would give it", words);
  return "";
}

/// Whether a 0 has another sign than all numbers that the kernel may have rounded. The exact 0 has none.
bool has_wrong_sign(const Codes& codes, std::size_t i, double got, const Interval& due) {
  const bool has_zero = due.lower <= 0 && 0 <= due.upper;
  if (got != 0 || !has_zero) return false;
  const Original original = original_of(codes.graph, codes.node, i);
  const Node& node = codes.graph.nodes[static_cast<std::size_t>(original.node)];
  const auto& format = *node.cast.format;
  if (!format.is_signed || format.is_whole() || format.specials == reference::Specials::minus_zero) return false;
  const Interval x = possible(codes.graph, codes.values, codes.errors, node.arguments[0], original.element);
  return std::signbit(got) ? x.lower > 0 && due.lower == 0 : x.upper < 0 && due.upper == 0;
}

std::string explained(const Codes& codes, std::size_t i, double got, const Interval& due) {
  const Original original = original_of(codes.graph, codes.node, i);
  const Node& node = codes.graph.nodes[static_cast<std::size_t>(original.node)];
  const double x = codes.values[static_cast<std::size_t>(node.arguments[0])][original.element];
  const bool is_of_sign = has_wrong_sign(codes, i, got, due);
  const auto shown = [&](double end) { return show(is_of_sign && end == 0 ? -got : end); };
  const std::string range =
      due.lower == due.upper ? shown(due.lower) : fmt::format("{} to {}", shown(due.lower), shown(due.upper));
  return fmt::format("{}\n  got      {}\n  expected {}, as {} to {} of {}{}", place(codes.name, i, codes.shape),
                     show(got), range, reference::rounding_names[static_cast<std::size_t>(node.cast.rounding)],
                     node.cast.format->name, show(x),
                     is_of_sign ? "\n  0 keeps the sign of what was rounded" : cause_of(node.cast, x, got));
}

Finding compare(const Codes& codes, const std::vector<double>& got) {
  Finding finding = Finding::pass();
  std::vector<Interval> due;
  std::vector<bool> has_bound;
  for (std::size_t i = 0; i < got.size(); ++i) {
    due.push_back(possible(codes.graph, codes.values, codes.errors, codes.node, i));
    has_bound.push_back(std::isfinite(codes.errors[static_cast<std::size_t>(codes.node)][i]));
  }
  const bool decides =
      due.size() < 2 || std::ranges::any_of(
                            due,
                            [&](const Interval& one) {
                              return one.lower != due[0].lower && !(std::isnan(one.lower) && std::isnan(due[0].lower));
                            });
  const auto& format = *cast_of(codes.graph, codes.node)->format;
  const double range = format.largest() - format.at(format.lowest());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Interval& one = due[i];
    const double width = has_bound[i] && decides ? one.upper - one.lower : no_range;
    finding.judged.add(std::isnan(width) ? 0 : width, range);
    if (!has_bound[i]) continue;
    ++finding.evidence.codes;
    finding.evidence.tied += one.lower < one.upper ? 1 : 0;
    const bool is_within = std::isnan(one.lower) ? std::isnan(got[i]) : one.lower <= got[i] && got[i] <= one.upper;
    const bool is_due = is_within && !has_wrong_sign(codes, i, got[i], one);
    if (is_due || finding.verdict == Verdict::fail) continue;
    finding.verdict = Verdict::fail;
    finding.clue = Clue::number(one.lower, got[i]);
    finding.explanation = explained(codes, i, got[i], one);
  }
  return finding;
}

}  // namespace

Finding quantisation(const Subject& subject, const Case& c, Random&) {
  const auto traced = (subject.road ? subject.road : subject.trace)(c.extents);
  const Doubles got = subject.forward(c);
  const Given given(subject, c, *traced, got);
  Finding all = Finding::pass();
  for (std::size_t k = 0; k < got.size(); ++k) {
    const std::int32_t node = traced->graph.outputs[k];
    if (got[k].empty() || cast_of(traced->graph, node) == nullptr) continue;
    const Graph graph = given.without(k);
    const Doubles values = exact_values(graph, given.arrays, subject.digits);
    const std::vector<std::int32_t> results = {node};
    const Doubles errors = errors_of(graph, values, subject.arithmetic, results);
    const std::string name = got.size() > 1 ? fmt::format("output{}", k) : "output";
    all.take(compare({name, traced->shapes[k], graph, values, errors, node}, got[k]));
  }
  return all;
}

}  // namespace assay::validation::formula
