// What a kernel of a formula is held to: first the properties that speak of no mathematics, each declared in a word,
// then outputs and gradients within the bounds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "validation/core/number.h"
#include "validation/formula/judge.h"
#include "validation/formula/relations.h"
#include "validation/formula/within_bounds.h"

namespace assay::validation::formula {
namespace {

Finding repeat(const Subject& subject, const Case& c, Random&) {
  const Kernel& kernel = subject.forward ? subject.forward : subject.backward;
  Case other = c;  // a call between, so that a kernel that returns what is left of a call before is caught
  for (auto& array : other.upstream) std::ranges::reverse(array);
  for (std::size_t k = 0; k < c.arrays.size(); ++k)
    if (subject.specification.inputs[k].kind == Kind::real) std::ranges::reverse(other.arrays[k]);
  const Doubles first = kernel(c);
  kernel(other);
  const Doubles second = kernel(c);
  Finding finding = Finding::pass();
  for (std::size_t k = 0; k < first.size(); ++k)
    for (std::size_t i = 0; i < first[k].size(); ++i) {
      finding.judged.add(0, no_range);
      if (!same_bits(first[k][i], second[k][i]))
        return Finding::fail(fmt::format("  element {} of output {} has other bits: {} and then {}", i, k,
                                         show(first[k][i]), show(second[k][i])));
    }
  return finding;
}

}  // namespace

Subject without_backward(const Subject& subject) {
  Subject forward = subject;
  forward.backward = {};
  return forward;
}

std::vector<Shape> gradient_shapes(const Subject& subject, const Case& c) {
  std::vector<Shape> shapes;
  for (const Input& input : subject.specification.inputs)
    if (input.kind != Kind::flag && input.kind != Kind::index) shapes.push_back(shape_of(input, c.extents));
  return shapes;
}

std::int64_t coordinate(std::size_t i, const Shape& shape, int axis) {
  std::int64_t stride = 1;
  for (std::size_t a = static_cast<std::size_t>(axis) + 1; a < shape.size(); ++a) stride *= shape[a];
  return static_cast<std::int64_t>(i) / stride % shape[static_cast<std::size_t>(axis)];
}

std::vector<Property> properties_of(const Subject& subject) {
  std::vector<Property> properties = {
      {"repeat", "equal inputs give equal bits, whatever was computed between", {}, repeat}};
  for (const auto& [name, extent] : subject.specification.declared) {
    const auto found = relations().find(name);
    if (found == relations().end())
      throw std::invalid_argument(
          fmt::format("property '{}': expected one of {}", name, fmt::join(std::views::keys(relations()), ", ")));
    if (std::ranges::find(subject.specification.extents, extent) == subject.specification.extents.end())
      throw std::invalid_argument(fmt::format("property {}={}: expected {}=EXTENT with an extent of {}: {}", name,
                                              extent, name, subject.specification.name,
                                              fmt::join(subject.specification.extents, ", ")));
    if (!subject.forward) continue;
    const auto check = found->second.check;
    properties.push_back(
        {name,
         fmt::format(fmt::runtime(found->second.claim), extent),
         {},
         [check, extent](const Subject& s, const Case& c, Random& r) { return check(s, c, r, extent); },
         false,
         name == "batch"});
  }
  if (subject.forward) {
    properties.push_back({"exact", "on small integers: equality where nothing is rounded",
                          ValueClass{ValueClass::Kind::integers}, outputs});
    properties.push_back({"outputs", "outputs are within their bounds", {}, outputs, true});
  }
  if (subject.backward) properties.push_back({"gradient", "gradients are within their bounds", {}, gradients, true});
  return properties;
}

}  // namespace assay::validation::formula
