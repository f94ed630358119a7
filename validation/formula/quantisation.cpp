#include "validation/formula/quantisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "validation/core/number.h"
#include "validation/formula/casts.h"
#include "validation/formula/computed.h"
#include "validation/formula/given_results.h"
#include "validation/formula/shares.h"
#include "validation/formula/within_bounds.h"

namespace assay::validation::formula {

using reference::Cast;
using reference::Rounding;

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

/// One result, and what its elements are rounded from.
struct Codes {
  std::string name;
  const Shape& shape;
  const Graph& graph;
  const Doubles& values;
  const Doubles& errors;
  const InputArrays& arrays;
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

/// Whether a 0 has another sign than all numbers that the kernel may have rounded. The 0 that an input has keeps its sign; one
/// that is computed exactly has none.
bool has_wrong_sign(const Codes& codes, std::size_t i, double got, const Interval& due) {
  const bool has_zero = due.lower <= 0 && 0 <= due.upper;
  if (got != 0 || !has_zero) return false;
  const Original original = original_of(codes.graph, codes.node, i);
  const Node& node = codes.graph.nodes[static_cast<std::size_t>(original.node)];
  const auto& format = *node.cast.format;
  if (!format.is_signed || format.is_whole() || format.specials == reference::Specials::minus_zero) return false;
  const Original rounded = original_of(codes.graph, node.arguments[0], original.element);
  const Node& source = codes.graph.nodes[static_cast<std::size_t>(rounded.node)];
  if (source.op == Op::input && !source.is_rounded) {
    const double given = codes.arrays.at(source.name)[rounded.element];
    if (given == 0) return std::signbit(given) != std::signbit(got);
  }
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
  if (c.is_sampled) return Finding::skip("codes are judged by their whole rows", SkipCause::wrong_kind);
  const auto traced = (subject.road ? subject.road : subject.trace)(c.extents);
  const Doubles got = subject.forward(c);
  const GivenResults given(subject, c, *traced, got);
  Finding all = Finding::pass();
  for (std::size_t k = 0; k < got.size(); ++k) {
    const std::int32_t node = traced->graph.outputs[k];
    if (got[k].empty() || cast_of(traced->graph, node) == nullptr) continue;
    const Graph graph = given.without(k);
    const Doubles values = exact_values(graph, given.arrays, subject.digits);
    const std::vector<std::int32_t> results = {node};
    const Doubles errors = errors_of(graph, values, subject.arithmetic, results);
    const std::string name = got.size() > 1 ? fmt::format("output{}", k) : "output";
    all.take(compare({name, traced->shapes[k], graph, values, errors, given.arrays, node}, got[k]));
  }
  return all;
}

}  // namespace assay::validation::formula
