// Shapes of a case, its line of text, and the smaller cases that shrinking tries.
#include "validation/formula/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "validation/core/parse.h"

namespace assay::validation::formula {
namespace {

constexpr std::int64_t most_elements = 10'000'000;

/// A whole number in [0, most].
std::int64_t number_of(const Words& words, const std::string& name, std::int64_t most) {
  const auto number = parse_word<std::int64_t>(words, name);
  if (number < 0 || number > most)
    throw std::invalid_argument(fmt::format("{}={}: expected a whole number from 0 to {}", name, number, most));
  return number;
}

/// Elements of this shape. A shape of too many is refused before their number overflows.
std::vector<double> array_of(const Words& words, const std::string& name, const std::vector<std::int64_t>& shape) {
  double product = 1;
  for (const std::int64_t extent : shape) product *= static_cast<double>(extent);
  std::vector<double> values = parse_list<double>(words, name);
  if (product > static_cast<double>(most_elements) || std::ssize(values) != elements_of(shape))
    throw std::invalid_argument(fmt::format("{} has {} numbers: expected {:.0f}, of the shape [{}]", name,
                                            values.size(), product, fmt::join(shape, ", ")));
  return values;
}

/// The part of an array that is left where one extent became smaller.
std::vector<double> cropped(const std::vector<double>& values, const std::vector<std::int64_t>& from,
                            const std::vector<std::int64_t>& to) {
  std::vector<double> result(static_cast<std::size_t>(elements_of(to)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::int64_t rest = static_cast<std::int64_t>(i), source = 0, stride = 1;
    for (std::size_t axis = to.size(); axis-- > 0;) {
      source += rest % to[axis] * stride;
      rest /= to[axis];
      stride *= from[axis];
    }
    result[i] = values[static_cast<std::size_t>(source)];
  }
  return result;
}

/// Simpler numbers in the place of one: 0, 1, and fewer bits.
double simpler(double x, int step) {
  if (!std::isfinite(x)) return x;
  if (step == 0) return 0;
  return step == 1 ? std::trunc(x) : std::ldexp(std::round(std::ldexp(x, 3)), -3);
}

}  // namespace

std::int64_t limit_of(const Specification& specification, const std::string& extent) {
  const auto found = specification.limits.find(extent);
  return found == specification.limits.end() ? usual_limit : found->second;
}

std::span<const std::int64_t> listed_sizes(const Specification& specification, const std::string& extent) {
  const auto found = specification.listed.find(extent);
  return found == specification.listed.end() ? std::span<const std::int64_t>() : found->second;
}

std::int64_t least_of(const Specification& specification, const std::string& extent) {
  if (const auto listed = listed_sizes(specification, extent); !listed.empty()) return listed.front();
  const auto found = specification.least.find(extent);
  const std::int64_t least = found == specification.least.end() ? 1 : found->second;
  const auto multiple = specification.multiple.find(extent);
  return multiple == specification.multiple.end()
             ? least
             : (least + multiple->second - 1) / multiple->second * multiple->second;
}

std::int64_t taken_size(const Specification& specification, const std::string& extent, std::int64_t size) {
  const std::int64_t least = least_of(specification, extent);
  if (const auto listed = listed_sizes(specification, extent); !listed.empty()) {
    const auto above = std::ranges::upper_bound(listed, size);
    return above == listed.begin() ? least : *std::prev(above);
  }
  const auto found = specification.multiple.find(extent);
  return std::max(least, found == specification.multiple.end() ? size : size - size % found->second);
}

std::int64_t size_of(const std::string& extent, const Extents& extents) {
  const auto found = extents.find(extent);
  return found != extents.end() ? found->second : parse_value<std::int64_t>("extent", extent);
}

std::vector<std::int64_t> shape_of(const Input& input, const Extents& extents) {
  std::vector<std::int64_t> shape;
  for (const auto& one : input.dimensions) shape.push_back(size_of(one, extents));
  return shape;
}

int axis_of(const Input& input, const std::string& extent) {
  const auto found = std::ranges::find(input.dimensions, extent);
  return found == input.dimensions.end() ? -1 : static_cast<int>(found - input.dimensions.begin());
}

std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::size_t elements_of(const Case& c) {
  std::size_t elements = 0;
  for (const auto& array : c.arrays) elements += array.size();
  return elements;
}

Case with_extent(const Specification& specification, const Case& c, const std::string& name, std::int64_t size,
                 const Trace& trace) {
  Case smaller = c;
  smaller.extents[name] = size;
  for (std::size_t i = 0; i < specification.inputs.size(); ++i) {
    const Input& input = specification.inputs[i];
    smaller.arrays[i] = cropped(c.arrays[i], shape_of(input, c.extents), shape_of(input, smaller.extents));
    if (input.kind == Kind::index)
      for (double& x : smaller.arrays[i])
        x = std::min(x, static_cast<double>(std::max<std::int64_t>(size_of(input.extent, smaller.extents) - 1, 0)));
  }
  const auto before = trace(c.extents), after = trace(smaller.extents);
  for (std::size_t k = 0; k < after->shapes.size(); ++k)
    smaller.upstream[k] = cropped(c.upstream[k], before->shapes[k], after->shapes[k]);
  return smaller;
}

namespace {

void reverse_axis(std::vector<double>& values, const std::vector<std::int64_t>& shape, std::size_t axis) {
  std::int64_t stride = 1;
  for (std::size_t a = axis + 1; a < shape.size(); ++a) stride *= shape[a];
  const std::vector<double> before = values;
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    const std::int64_t at = i / stride % shape[axis];
    values[static_cast<std::size_t>(i + (shape[axis] - 1 - 2 * at) * stride)] = before[static_cast<std::size_t>(i)];
  }
}

/// The case with the indices of an extent in reverse order.
Case reversed(const Specification& specification, Case c, const std::string& name, const Trace& trace) {
  if (c.extents.at(name) < 2) return c;
  for (std::size_t i = 0; i < specification.inputs.size(); ++i) {
    const Input& input = specification.inputs[i];
    if (input.kind == Kind::index && input.extent == name)
      for (double& x : c.arrays[i]) x = static_cast<double>(c.extents.at(name) - 1) - x;
    for (std::size_t axis = 0; axis < input.dimensions.size(); ++axis)
      if (input.dimensions[axis] == name) reverse_axis(c.arrays[i], shape_of(input, c.extents), axis);
  }
  Extents smaller = c.extents;
  --smaller[name];
  const auto shapes = trace(c.extents)->shapes, of_fewer = trace(smaller)->shapes;
  for (std::size_t k = 0; k < c.upstream.size(); ++k)
    for (std::size_t axis = 0; axis < shapes[k].size() && shapes[k].size() == of_fewer[k].size(); ++axis)
      if (shapes[k][axis] != of_fewer[k][axis]) reverse_axis(c.upstream[k], shapes[k], axis);
  return c;
}

/// The case with the last `size` indices of an extent alone.
Case with_last(const Specification& specification, const Case& c, const std::string& name, std::int64_t size,
               const Trace& trace) {
  const Case from_the_end = reversed(specification, c, name, trace);
  return reversed(specification, with_extent(specification, from_the_end, name, size, trace), name, trace);
}

bool is_all_ones(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double x) { return x == 1; });
}

}  // namespace

namespace {

/// The case cropped to smaller extents.
Case with_extents(const Specification& specification, Case c, const Extents& extents, const Trace& trace) {
  for (const auto& [name, size] : extents) c = with_extent(specification, c, name, size, trace);
  return c;
}

bool are_smaller(const Extents& extents, const Extents& than) {
  return extents != than &&
         std::ranges::all_of(extents, [&](const auto& one) { return one.second <= than.at(one.first); });
}

}  // namespace

std::vector<std::function<Case()>> shrinks_of(const Specification& specification, const Case& c, const Trace& trace) {
  std::vector<std::function<Case()>> steps;
  const auto shared = std::make_shared<const Case>(c);  // a large one may have many steps
  for (const Extents& extents : specification.only)
    if (are_smaller(extents, c.extents))
      steps.emplace_back(
          [&specification, shared, &trace, extents] { return with_extents(specification, *shared, extents, trace); });
  for (const auto& [name, size] : specification.only.empty() ? c.extents : Extents())
    for (const std::int64_t wanted : {std::int64_t{1}, size / 2, size - 1})
      if (const std::int64_t less = taken_size(specification, name, wanted); less < size)
        for (const auto part : {with_extent, with_last})
          steps.emplace_back([&specification, shared, &trace, name, less, part] {
            return part(specification, *shared, name, less, trace);
          });
  if (c.layout != 0)
    steps.emplace_back([shared] {
      Case plain = *shared;
      plain.layout = 0;
      return plain;
    });
  if (c.way != 0)
    steps.emplace_back([c] {
      Case plain = c;
      plain.way = 0;
      return plain;
    });
  const auto add = [&](auto member, std::size_t array, std::size_t first, std::size_t count, int step) {
    steps.push_back([shared, member, array, first, count, step] {
      Case simple = *shared;
      for (std::size_t i = first; i < first + count; ++i) {
        double& x = (simple.*member)[array][i];
        x = simpler(x, step);
      }
      return simple;
    });
  };
  for (const auto member : {&Case::arrays, &Case::upstream})
    for (std::size_t array = 0; array < (c.*member).size(); ++array) {
      const std::size_t size = (c.*member)[array].size();
      if (member == &Case::upstream && is_all_ones(c.upstream[array])) continue;
      if (member == &Case::arrays && specification.inputs[array].kind != Kind::real) continue;
      for (const int step : {0, 1, 2}) {
        if (size > 1) add(member, array, 0, size, step);
        for (std::size_t i = 0; i < std::min<std::size_t>(size, 16); ++i)
          if (const double x = (c.*member)[array][i]; std::isfinite(x) && simpler(x, step) != x)
            add(member, array, i, 1, step);
      }
    }
  return steps;
}

std::string to_text(const Specification& specification, const Case& c) {
  std::string text;
  for (const auto& [name, size] : c.extents) text += fmt::format("{}={} ", name, size);
  text += fmt::format("layout={}", c.layout);
  if (c.is_sampled) text += " sampled=1";
  if (c.way != 0) text += fmt::format(" way={}", c.way);
  for (std::size_t i = 0; i < c.arrays.size(); ++i)
    text += fmt::format(" {}={}", specification.inputs[i].name, fmt::join(c.arrays[i], ","));
  for (std::size_t k = 0; k < c.upstream.size(); ++k)
    if (!is_all_ones(c.upstream[k])) text += fmt::format(" upstream{}={}", k, fmt::join(c.upstream[k], ","));
  return text;
}

Case from_words(const Specification& specification, const Words& words, const Trace& trace) {
  Case c;
  for (const auto& name : specification.extents) c.extents[name] = number_of(words, name, most_elements);
  c.layout = static_cast<int>(number_of(words, "layout", layouts - 1));
  c.is_sampled = words.contains("sampled") && number_of(words, "sampled", 1) == 1;
  const auto ways = std::max(specification.forward_ways.size(), specification.backward_ways.size());
  if (words.contains("way")) c.way = static_cast<int>(number_of(words, "way", static_cast<std::int64_t>(ways)));
  for (const Input& input : specification.inputs)
    c.arrays.push_back(array_of(words, input.name, shape_of(input, c.extents)));
  const auto& shapes = trace(c.extents)->shapes;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const std::string name = fmt::format("upstream{}", k);
    c.upstream.push_back(words.contains(name)
                             ? array_of(words, name, shapes[k])
                             : std::vector<double>(static_cast<std::size_t>(elements_of(shapes[k])), 1));
  }
  return c;
}

}  // namespace assay::validation::formula
