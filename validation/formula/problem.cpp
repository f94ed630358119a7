// Shapes of a case, its line of text, and the smaller cases that shrinking tries.
#include "validation/formula/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace assay::validation::formula {
namespace {

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    numbers.push_back(std::stod(text.substr(at, end - at)));
    at = end + 1;
  }
  return numbers;
}

std::int64_t number_of(const std::map<std::string, std::string>& words, const std::string& name) {
  const auto found = words.find(name);
  if (found == words.end())
    throw std::invalid_argument(fmt::format("{}: missing in the line; expected {}=<number>", name, name));
  return std::stoll(found->second);
}

std::vector<double> array_of(const std::map<std::string, std::string>& words, const std::string& name,
                             std::int64_t size) {
  const auto found = words.find(name);
  std::vector<double> values = found == words.end() ? std::vector<double>() : numbers_of(found->second);
  if (std::ssize(values) != size)
    throw std::invalid_argument(fmt::format("{} has {} numbers: expected {}", name, values.size(), size));
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

Case with_extent(const Specification& specification, const Case& c, const std::string& name, std::int64_t size,
                 const Trace& trace) {
  Case smaller = c;
  smaller.extents[name] = size;
  for (std::size_t i = 0; i < specification.inputs.size(); ++i) {
    const Input& input = specification.inputs[i];
    smaller.arrays[i] = cropped(c.arrays[i], shape_of(input, c.extents), shape_of(input, smaller.extents));
    if (input.kind == Kind::index)
      for (double& x : smaller.arrays[i])
        x = std::min(x, static_cast<double>(std::max<std::int64_t>(smaller.extents[input.extent] - 1, 0)));
  }
  const auto before = trace(c.extents), after = trace(smaller.extents);
  for (std::size_t k = 0; k < after->shapes.size(); ++k)
    smaller.upstream[k] = cropped(c.upstream[k], before->shapes[k], after->shapes[k]);
  return smaller;
}

/// Simpler numbers in the place of one: 0, 1, and fewer bits.
double simpler(double x, int step) {
  if (!std::isfinite(x)) return x;
  if (step == 0) return 0;
  return step == 1 ? std::trunc(x) : std::ldexp(std::round(std::ldexp(x, 3)), -3);
}

}  // namespace

std::vector<std::int64_t> shape_of(const Input& input, const Extents& extents) {
  std::vector<std::int64_t> shape;
  for (const auto& one : input.dimensions) {
    const auto found = extents.find(one);
    shape.push_back(found != extents.end() ? found->second : std::stoll(one));
  }
  return shape;
}

int axis_of(const Input& input, const std::string& extent) {
  const auto found = std::ranges::find(input.dimensions, extent);
  return found == input.dimensions.end() ? -1 : static_cast<int>(found - input.dimensions.begin());
}

std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<std::function<Case()>> shrinks_of(const Specification& specification, const Case& c, const Trace& trace) {
  std::vector<std::function<Case()>> steps;
  for (const auto& [name, size] : c.extents)
    for (const std::int64_t less : {std::int64_t{1}, size / 2, size - 1})
      if (less >= 1 && less < size)
        steps.emplace_back(
            [&specification, c, &trace, name, less] { return with_extent(specification, c, name, less, trace); });
  if (c.layout != 0)
    steps.emplace_back([c] {
      Case plain = c;
      plain.layout = 0;
      return plain;
    });
  const auto add = [&](auto member, std::size_t array, std::size_t first, std::size_t count, int step) {
    steps.push_back([c, member, array, first, count, step] {
      Case simple = c;
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
  for (std::size_t i = 0; i < c.arrays.size(); ++i)
    text += fmt::format(" {}={}", specification.inputs[i].name, fmt::join(c.arrays[i], ","));
  for (std::size_t k = 0; k < c.upstream.size(); ++k)
    text += fmt::format(" upstream{}={}", k, fmt::join(c.upstream[k], ","));
  return text;
}

Case from_words(const Specification& specification, const std::map<std::string, std::string>& words) {
  Case c;
  for (const auto& name : specification.extents) c.extents[name] = number_of(words, name);
  c.layout = static_cast<int>(number_of(words, "layout"));
  for (const Input& input : specification.inputs)
    c.arrays.push_back(array_of(words, input.name, elements_of(shape_of(input, c.extents))));
  for (std::size_t k = 0; words.contains(fmt::format("upstream{}", k)); ++k)
    c.upstream.push_back(numbers_of(words.at(fmt::format("upstream{}", k))));
  return c;
}

}  // namespace assay::validation::formula
