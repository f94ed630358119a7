#include "validation/formula/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "validation/core/infinity.h"
#include "validation/core/shuffle.h"
#include "validation/formula/choices.h"

namespace assay::validation::formula {
namespace {

/// As many elements of each result as a sample has at most.
constexpr std::size_t most_of_result = 96;

using Some = std::vector<std::int64_t>;

/// Indices of an axis: those beside the borders of tiles and, so that no part is left out, one drawn in each of as many
/// parts of the axis; shuffled.
Some indices_of_axis(std::int64_t size, std::size_t count, Random& random) {
  Some indices;
  for (std::int64_t border = width_of_tile; border < size; border += width_of_tile) {
    indices.push_back(border - 1);
    indices.push_back(border);
  }
  const auto parts = static_cast<std::int64_t>(std::max(count / 2, count - std::min(count, indices.size())));
  for (std::int64_t part = 0; part < parts; ++part)
    indices.push_back(
        random.integer(part * size / parts, std::max(part * size / parts, (part + 1) * size / parts - 1)));
  shuffle(indices, random);
  return indices;
}

/// The nodes of the results that a sample is of. Positions are right or wrong by their whole row: of them there is none.
std::vector<std::int32_t> results_of(const Traced& traced, bool of_gradients) {
  if (of_gradients) return traced.gradients;
  std::vector<std::int32_t> results;
  for (const auto node : traced.graph.outputs) results.push_back(argsort_of(traced.graph, node) < 0 ? node : -1);
  return results;
}

Elements none_of(const Graph& graph) {
  return Elements(graph.nodes.size());
}

std::optional<Elements> needed_by_last(const Graph& graph, std::int32_t node, double most) {
  Elements wanted = none_of(graph);
  wanted[static_cast<std::size_t>(node)] = {graph.size_of(node) - 1};
  return needed(graph, std::move(wanted), most);
}

/// The node that has these elements of a node of the whole graph; one of none, where that is -1.
std::int32_t result_in(Cone& cone, std::int32_t node, const Some& wanted) {
  if (node < 0) return cone.graph.add({Op::constant, 0});
  const auto n = static_cast<std::size_t>(node);
  return node_with(cone.graph, cone.nodes[n], cone.elements[n], wanted);
}

std::vector<double> picked_from(const std::vector<double>& all, const Some& elements) {
  std::vector<double> some;
  some.reserve(elements.size());
  for (const std::int64_t i : elements) some.push_back(all.at(static_cast<std::size_t>(i)));
  return some;
}

/// Finds a sample: what it wants of each result, and all that this needs.
class Sampling {
 public:
  Sampling(const Subject& subject, const Case& c, bool of_gradients)
      : subject_(subject), case_(c), of_gradients_(of_gradients), whole_(subject.trace(c.extents)) {
    results_ = results_of(*whole_, of_gradients);
    for (auto& node : results_)
      if (node >= 0 && (graph().size_of(node) == 0 || !needed_by_last(graph(), node, most_sampled))) node = -1;
  }

  std::optional<Sample> sample() {
    if (std::ranges::all_of(results_, [](auto node) { return node < 0; })) return {};
    const Elements elements = found();
    InputElements inputs = inputs_of(graph(), elements);
    Sample made{subject_, {}, {}};
    for (const auto node : results_)
      made.elements.push_back(node < 0 ? Some() : elements[static_cast<std::size_t>(node)]);
    made.subject.road = made.subject.backward_road = {};
    if (const Trace& road = of_gradients_ ? subject_.backward_road : subject_.road) {
      const auto by_road = road(case_.extents);
      const Elements of_road = needed_on(*by_road, made.elements);
      for (auto& [name, some] : inputs_of(by_road->graph, of_road)) join(inputs[name], some);
      (of_gradients_ ? made.subject.backward_road : made.subject.road) =
          always(cut(*by_road, by_road->graph.outputs, of_road, inputs, made.elements, false));
    }
    made.subject.trace = always(cut(*whole_, results_, elements, inputs, made.elements, of_gradients_));
    made.problem = part_of_case(inputs);
    return made;
  }

 private:
  const Graph& graph() const { return whole_->graph; }

  /// As many elements of each result as the work allows.
  Elements found() const {
    const auto shapes = of_gradients_ ? gradient_shapes(subject_, case_) : whole_->shapes;
    for (std::size_t count = most_of_result;; count = count / 4 * 3) {
      Elements wanted = none_of(graph());
      std::size_t k = 0;
      for (const auto node : results_) {
        if (node >= 0) {
          auto& some = wanted[static_cast<std::size_t>(node)];
          std::ranges::copy(sampled_elements(shapes[k], std::max<std::size_t>(count, 1), Random(case_.seed + k)),
                            std::back_inserter(some));
        }
        ++k;
      }
      const double most = count > 1 ? most_sampled : infinity;
      if (auto all = needed(graph(), std::move(wanted), most)) return std::move(*all);
    }
  }

  static Trace always(std::shared_ptr<const Traced> traced) {
    return [traced = std::move(traced)](const Extents&) { return traced; };
  }

  /// What the road's results of the sample need.
  static Elements needed_on(const Traced& road, const Elements& sample) {
    Elements wanted = none_of(road.graph);
    for (std::size_t k = 0; k < sample.size(); ++k)
      std::ranges::copy(sample[k], std::back_inserter(wanted.at(static_cast<std::size_t>(road.graph.outputs.at(k)))));
    return std::move(*needed(road.graph, std::move(wanted), infinity));
  }

  /// A formula that is cut down to the sample of these results.
  static std::shared_ptr<const Traced> cut(const Traced& whole, const std::vector<std::int32_t>& results,
                                           const Elements& elements, const InputElements& inputs,
                                           const Elements& sample, bool of_gradients) {
    Cone cone = cone_of(whole.graph, elements, inputs, whole.formula_nodes);
    auto made = std::make_shared<Traced>();
    made->shapes = whole.shapes;
    auto& asked = of_gradients ? made->gradients : cone.graph.outputs;
    auto& others = of_gradients ? cone.graph.outputs : made->gradients;
    for (std::size_t k = 0; k < results.size(); ++k)
      asked.push_back(result_in(cone, sample[k].empty() ? -1 : results[k], sample[k]));
    for (std::size_t k = 0; k < (of_gradients ? whole.graph.outputs : whole.gradients).size(); ++k)
      others.push_back(result_in(cone, -1, {}));
    made->formula_nodes = of_gradients ? cone.formula_nodes : static_cast<std::int32_t>(cone.graph.nodes.size());
    made->graph = std::move(cone.graph);
    return made;
  }

  static void join(Some& some, const Some& more) {
    some.insert(some.end(), more.begin(), more.end());
    sort_once(some);
  }

  Case part_of_case(const InputElements& inputs) const {
    Case part;
    part.extents = case_.extents;
    part.values = case_.values;
    part.seed = case_.seed;
    const auto part_of = [&](const std::string& name, const std::vector<double>& array) {
      const auto found = inputs.find(name);
      return found == inputs.end() ? std::vector<double>() : picked_from(array, found->second);
    };
    for (std::size_t i = 0; i < case_.arrays.size(); ++i)
      part.arrays.push_back(part_of(subject_.specification.inputs[i].name, case_.arrays[i]));
    for (std::size_t k = 0; k < case_.upstream.size(); ++k)
      part.upstream.push_back(part_of(fmt::format("upstream{}", k), case_.upstream[k]));
    return part;
  }

  const Subject& subject_;
  const Case& case_;
  bool of_gradients_;
  std::shared_ptr<const Traced> whole_;
  std::vector<std::int32_t> results_;  ///< nodes; -1 of a result that has no sample
};

}  // namespace

Doubles Sample::picked(const Doubles& results) const {
  Doubles some;
  for (std::size_t k = 0; k < results.size(); ++k) some.push_back(picked_from(results[k], elements.at(k)));
  return some;
}

std::optional<Sample> sample_of(const Subject& subject, const Case& c, bool of_gradients) {
  return Sampling(subject, c, of_gradients).sample();
}

std::vector<std::int64_t> sampled_elements(const std::vector<std::int64_t>& shape, std::size_t count, Random random) {
  const std::int64_t size = elements_of(shape);
  if (size <= static_cast<std::int64_t>(count)) {
    Some all(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<Some> indices;
  for (const std::int64_t axis : shape) indices.push_back(indices_of_axis(axis, count, random));
  const std::size_t all_corners = std::size_t{1} << std::min<std::size_t>(shape.size(), 4);
  const std::size_t corners = std::clamp<std::size_t>(count / 4, 1, all_corners);
  Some elements;
  for (std::size_t point = 0; point < count; ++point) {
    std::int64_t element = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const bool is_first = point >> axis % 4 & 1;
      const std::int64_t corner = is_first ? 0 : shape[axis] - 1;
      element = element * shape[axis] + (point < corners ? corner : indices[axis][point % indices[axis].size()]);
    }
    elements.push_back(element);
  }
  return elements;
}

std::pair<double, double> work_of_elements(const Traced& traced, bool of_gradients) {
  double least = infinity, most = 0;
  for (const auto node : results_of(traced, of_gradients)) {
    if (node < 0 || traced.graph.size_of(node) == 0) continue;
    const double work = work_of(traced.graph, *needed_by_last(traced.graph, node, infinity));
    least = std::min(least, work);
    most = std::max(most, work);
  }
  return {least, most};
}

}  // namespace assay::validation::formula
