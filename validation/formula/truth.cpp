// The exact results of a formula, proven by balls or computed at two precisions that must agree, and the bounds on a
// kernel's errors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <stdexcept>
#include <utility>

#include "reference/number/ball.h"
#include "validation/core/number.h"
#include "validation/core/support.h"
#include "validation/core/truth.h"
#include "validation/formula/choices.h"
#include "validation/formula/declared.h"
#include "validation/formula/known_truths.h"
#include "validation/formula/ranges.h"

namespace assay::validation::formula {
namespace {

using reference::BigFloat;
using reference::formula::Values;
using Exact = Values<BigFloat>;

/// A formula, with its gradient where the kernel has a backward pass, on one case.
struct Question {
  const Subject& subject;
  const Case& c;
  std::shared_ptr<const Traced> traced;
  std::shared_ptr<const Graph> graph;  ///< of the formula, and of its gradient where that is asked for
  std::vector<std::int32_t> results;   ///< nodes

  Question(const Subject& of, const Case& on) : Question(of, on, of.trace, bool{of.backward}) {}

  Question(const Subject& of, const Case& on, const Trace& trace, bool with_gradient)
      : subject(of), c(on), traced(trace(on.extents)), graph(traced, &traced->graph), results(graph->outputs) {
    if (with_gradient) {
      results.insert(results.end(), traced->gradients.begin(), traced->gradients.end());
    } else {  // the nodes of the gradient come after those of the formula
      const auto& nodes = traced->graph.nodes;
      graph = std::make_shared<const Graph>(Graph{{nodes.begin(), nodes.begin() + traced->formula_nodes}, results});
    }
  }

  std::vector<double> input(const std::string& name) const {
    for (std::size_t i = 0; i < subject.specification.inputs.size(); ++i)
      if (subject.specification.inputs[i].name == name) return c.arrays[i];
    return c.upstream.at(std::stoul(name.substr(std::string("upstream").size())));
  }

  /// The values of the results; `after` sees those of all nodes.
  template <class Number, class After = reference::formula::Unchanged>
  Values<Number> evaluated(int digits, const After& after = {}) const {
    const reference::PrecisionScope scope(digits);
    const auto input_called = [this](const std::string& name) { return input(name); };
    return reference::formula::evaluate<Number>(*graph, input_called, after, results);
  }
};

/// The exact values: those of the results, and all of them in double.
struct ExactValues {
  Doubles values;  // before the results, whose evaluation fills it
  Exact results;

  ExactValues(const Question& question, int digits)
      : results(question.evaluated<BigFloat>(digits, [this](const Node&, const std::vector<BigFloat>& exact) {
          auto& node = values.emplace_back();
          node.reserve(exact.size());
          for (const BigFloat& x : exact) node.push_back(to_double(x));
        })) {}
};

/// The bounds on the results, the first of which is result `first` of the formula, after they are stored, which positions
/// are exactly.
Doubles bounds_of(const Question& question, const Doubles& values, const Doubles& errors, const Arithmetic& arithmetic,
                  std::size_t first = 0) {
  const std::size_t outputs = question.subject.trace(question.c.extents)->graph.outputs.size();
  Doubles bounds;
  for (const auto node : question.results) {
    const auto n = static_cast<std::size_t>(node);
    const std::size_t k = first + bounds.size();
    const Dtype storage =
        k < outputs ? storage_of_output(question.subject, k) : storage_of_gradient(question.subject, k - outputs);
    auto& bound = bounds.emplace_back();
    if (argsort_of(*question.graph, node) >= 0) {
      bound = errors[n];
      continue;
    }
    for (std::size_t i = 0; i < errors[n].size(); ++i)
      bound.push_back(stored(values[n][i], errors[n][i], arithmetic, storage));
  }
  return bounds;
}

Doubles bounds_of(const Question& question, const Doubles& values, const Arithmetic& arithmetic,
                  std::size_t first = 0) {
  const Doubles errors = errors_of(*question.graph, values, arithmetic, question.results);
  return bounds_of(question, values, errors, arithmetic, first);
}

/// How far the results may move where each input moves by a roundoff of the storage type, and nothing is rounded after.
Doubles changes_of(const Question& question, const Doubles& values) {
  if (question.graph->elements() > question.subject.specification.largest_graph) return {};
  Arithmetic arithmetic{Dtype::float64, Dtype::float64, Dtype::float64};
  const double roundoff = format_of(question.subject.arithmetic.storage).roundoff;
  arithmetic.input_roundoff = std::max(roundoff, 0x1p-40);  // far above those of the operations
  arithmetic.near_roads = 1;
  const Doubles errors = errors_of(*question.graph, values, arithmetic, question.results);
  Doubles changes;
  for (const auto node : question.results) {
    changes.push_back(errors[static_cast<std::size_t>(node)]);
    for (double& change : changes.back()) change *= roundoff / arithmetic.input_roundoff;
  }
  return changes;
}

/// How large each result is if nothing cancels. None where each bound lies below this share of its value, and so of that.
Doubles sizes_of_results(const Question& question, const Doubles& values, const Doubles& bounds, double share) {
  if (question.graph->elements() > question.subject.specification.largest_graph) return {};
  bool reaches_a_value = false;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    const auto& exact = values[static_cast<std::size_t>(question.results[k])];
    for (std::size_t i = 0; i < bounds[k].size(); ++i)
      reaches_a_value = reaches_a_value || (std::isfinite(bounds[k][i]) && bounds[k][i] >= share * std::abs(exact[i]));
  }
  if (!reaches_a_value) return {};
  const Doubles of_nodes = sizes_of(*question.graph, values);
  Doubles sizes;
  for (const auto node : question.results) sizes.push_back(of_nodes[static_cast<std::size_t>(node)]);
  return sizes;
}

/// How far the reference may be off: far below the bound, or below a double's resolution.
double slack(const BigFloat& exact, double bound, double share = 1e-3) {
  return std::max(share * bound, 0x1p-60 * std::abs(to_double(exact)));
}

/// The first node of what no number of digits decides, which is in the bound: both neighbours of the tie of a cast of
/// (1 / 3) / (2 / 3), and each share of a maximum's gradient, as among exp(-x^2) for tiny x.
std::size_t first_undecided(const Graph& graph) {
  const auto is_open = [](const Node& node) { return node.op == Op::cast || node.is_share; };
  return static_cast<std::size_t>(std::ranges::find_if(graph.nodes, is_open) - graph.nodes.begin());
}

void require_agreement(const BigFloat& a, const BigFloat& b, double bound, double share) {
  const bool finite = is_finite(a) && is_finite(b);
  if (finite ? absolute_difference(a, b) <= slack(b, bound, share) : same_kind(a, b)) return;
  throw ReferenceDisagrees("the formula gives " + to_decimal(a, 12) + " and, with more digits, " + to_decimal(b, 12));
}

/// Whether `agrees(node, element, bound)` for all results that have a bound.
bool all_agree(const Question& question, const Doubles& bounds,
               const std::function<bool(std::size_t, std::size_t, double)>& agrees) {
  for (std::size_t k = 0; k < bounds.size(); ++k)
    for (std::size_t i = 0; i < bounds[k].size(); ++i)
      if (std::isfinite(bounds[k][i]) && !agrees(static_cast<std::size_t>(question.results[k]), i, bounds[k][i]))
        return false;
  return true;
}

/// Throws where result `k` of the formula and of a road differ by more than the smaller of their bounds allows.
void require_same_results(std::size_t k, const std::vector<BigFloat>& exact, const std::vector<BigFloat>& of_road,
                          const std::vector<double>& bounds, const std::vector<double>& road_bounds) {
  if (exact.size() != of_road.size())
    throw std::invalid_argument(fmt::format("the road gives {} elements of result {}: expected {}, as the formula",
                                            of_road.size(), k, exact.size()));
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double bound = std::min(bounds[i], road_bounds[i]);
    const bool both_finite = is_finite(exact[i]) && is_finite(of_road[i]);
    if (std::isinf(bound) || (!both_finite && same_kind(exact[i], of_road[i]))) continue;
    // Where the formula is exact, as at 0, the road has what is left of its own roundings at 60 digits.
    const double rest = std::isfinite(road_bounds[i]) ? 0x1p-60 * road_bounds[i] : 0;
    if (!both_finite || !(absolute_difference(exact[i], of_road[i]) <= std::max(slack(exact[i], bound), rest)))
      throw std::invalid_argument(fmt::format(
          "the road gives {} and the formula {} (element {} of result {}): expected a road to the same results",
          to_decimal(of_road[i], 12), to_decimal(exact[i], 12), i, k));
  }
}

/// Puts the bounds of a road in the place of those of the `count` results from `first` on.
void take_road(const Question& question, const Exact& exact, const Trace& trace, std::size_t first, std::size_t count,
               Doubles& bounds) {
  const Question road(question.subject, question.c, trace, false);
  if (road.results.size() != count)
    throw std::invalid_argument(fmt::format("the road gives {} results: expected {}", road.results.size(), count));
  const ExactValues of_road(road, question.subject.digits * 3 / 2);
  Arithmetic own = question.subject.arithmetic;
  own.near_roads = 1;
  const Doubles road_bounds = bounds_of(road, of_road.values, own, first);
  for (std::size_t k = 0; k < count; ++k) {
    const auto formula_node = static_cast<std::size_t>(question.results[first + k]);
    require_same_results(k, exact[formula_node], of_road.results[static_cast<std::size_t>(road.results[k])],
                         bounds[first + k], road_bounds[k]);
    bounds[first + k] = road_bounds[k];
  }
}

#if ASSAY_HAVE_CERTIFIED
using reference::Ball;

/// Whether a ball proves that the exact result is within the slack of `fine`.
bool encloses(const Ball& ball, const BigFloat& fine, double bound) {
  const BigFloat middle = ball.midpoint();
  if (!is_finite(fine) || !is_finite(middle)) return !is_nan(fine) && ball.is_exact() && same_kind(middle, fine);
  const double most = slack(fine, bound), radius = to_double(ball.radius());
  return radius <= most && absolute_difference(middle, fine) <= most;
}
#endif

/// Those of this process.
KnownTruths& known_truths() {
  constexpr std::size_t max_bytes = 256 << 20;
  static KnownTruths known(max_bytes);
  return known;
}

Truth computed_truth(const Subject& subject, const Case& c) {
  const Question question(subject, c);
#if ASSAY_HAVE_CERTIFIED
  auto beside = std::async(std::launch::async, [&] { return question.evaluated<Ball>(subject.digits); });
#endif
  ExactValues exact(question, subject.digits * 3 / 2);
  Truth truth;
  truth.values = std::move(exact.values);
  Exact& fine = exact.results;
  const Doubles errors = errors_of(*question.graph, truth.values, subject.arithmetic, question.results);
  Doubles bounds = bounds_of(question, truth.values, errors, subject.arithmetic);
  for (const auto node : question.graph->outputs)
    truth.choices.push_back(argsort_of(*question.graph, node) < 0
                                ? nullptr
                                : std::make_shared<const Choices>(*question.graph, node, truth.values, errors));
  const bool has_backward_road = subject.backward && subject.backward_road;
  if (subject.arithmetic != without_declared(subject.arithmetic) || subject.road || has_backward_road) {
    const Arithmetic undeclared = without_declared(subject.arithmetic);
    truth.undeclared_bounds = bounds_of(question, truth.values, undeclared);
  }
  truth.changes = changes_of(question, truth.values);
  const std::size_t outputs = question.graph->outputs.size();
  if (subject.road) take_road(question, fine, subject.road, 0, outputs, bounds);
  if (has_backward_road)
    take_road(question, fine, subject.backward_road, outputs, question.traced->gradients.size(), bounds);
#if ASSAY_HAVE_CERTIFIED
  const Values<Ball> balls = beside.get();
  truth.is_certified = all_agree(question, bounds, [&](std::size_t n, std::size_t i, double bound) {
    return encloses(balls[n][i], fine[n][i], bound);
  });
#endif
  if (!truth.is_certified) {  // too wide, or none
    const Exact coarse = question.evaluated<BigFloat>(subject.digits);
    const std::size_t undecided = first_undecided(*question.graph);
    all_agree(question, bounds, [&](std::size_t n, std::size_t i, double bound) {
      return require_agreement(coarse[n][i], fine[n][i], bound, n < undecided ? 1e-3 : 1), true;
    });
  }
  truth.sizes = sizes_of_results(question, truth.values, bounds, truth.undeclared_bounds.empty() ? 1 : 0x1p-8);
  const std::vector<double> ranges = ranges_of(*question.graph);
  for (std::size_t k = 0; k < question.results.size(); ++k) {
    const auto node = static_cast<std::size_t>(question.results[k]);
    (k < outputs ? truth.outputs : truth.gradients).push_back(fine[node]);
    (k < outputs ? truth.output_ranges : truth.gradient_ranges).push_back(ranges[node]);
  }
  const auto gradients = bounds.begin() + static_cast<std::ptrdiff_t>(outputs);
  truth.output_bounds.assign(bounds.begin(), gradients);
  truth.gradient_bounds.assign(gradients, bounds.end());
  return truth;
}

}  // namespace

std::shared_ptr<const Truth> truth_of(const Subject& subject, const Case& c) {
  auto truth = known_truths().of(TruthKey(subject, c), [&] { return computed_truth(subject, c); });
  return truth;
}

std::vector<std::vector<std::string>> enclosures_of(const Subject& subject, const Case& c) {
#if ASSAY_HAVE_CERTIFIED
  const Question question(subject, c);
  const Values<Ball> balls = question.evaluated<Ball>(subject.digits);
  std::vector<std::vector<std::string>> texts;
  for (const auto node : question.results) {
    auto& one = texts.emplace_back();
    for (const Ball& ball : balls[static_cast<std::size_t>(node)]) one.push_back(ball.str(subject.digits));
  }
  return texts;
#else
  throw Unsupported("enclosures need FLINT or Arb, which this build of assay lacks");
#endif
}

}  // namespace assay::validation::formula
