// What a kernel of a formula is held to. First the properties that speak of no mathematics, each declared in a word;
// then outputs and gradients within the bounds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <span>
#include <stdexcept>

#include "validation/core/number.h"
#include "validation/formula/declared.h"
#include "validation/formula/judge.h"

namespace assay::validation::formula {
namespace {

using reference::BigFloat;
using Shape = std::vector<std::int64_t>;

std::string place(const std::string& what, std::size_t i, const Shape& shape) {
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; i /= static_cast<std::size_t>(shape[axis]))
    at[axis] = static_cast<std::int64_t>(i) % shape[axis];
  return fmt::format("{}[{}]", what, fmt::join(at, ", "));
}

/// Beyond the largest number minus the bound, an infinity of the sign is right.
bool may_overflow(double got, const BigFloat& exact, double bound, Dtype storage) {
  const double value = to_double(exact);
  return std::isinf(got) && std::signbit(got) == std::signbit(value) &&
         std::abs(value) + bound >= format_of(storage).largest * (1 + format_of(storage).roundoff / 2);
}

/// What to declare where the error of element `i` of result `k` is beyond the bound.
using Hint = std::function<std::string(std::size_t k, std::size_t i, double error, double bound)>;

/// Compares one array; counts the elements that have a bound.
Finding compare(const std::string& what, const std::vector<double>& got, const std::vector<BigFloat>& exact,
                const std::vector<double>& bounds, const Shape& shape, Dtype storage, std::int64_t& bounded,
                const std::function<std::string(std::size_t i, double error, double bound)>& hint) {
  Margin margin;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (!std::isfinite(bounds[i])) continue;
    ++bounded;
    const bool finite = is_finite(exact[i]);
    const bool same = !finite && same_kind(exact[i], BigFloat(got[i]));
    if (same || (finite && may_overflow(got[i], exact[i], bounds[i], storage))) continue;
    const double error = finite ? absolute_difference(exact[i], BigFloat(got[i])) : std::nan("");
    const double share = error == 0 ? 0 : error / bounds[i];
    margin.take(share, place(what, i, shape), error);
    if (!(error <= bounds[i]))
      return Finding::fail(
          fmt::format("{}\n{}", place(what, i, shape),
                      finite ? explain(got[i], exact[i], error, bounds[i]) + hint(i, error, bounds[i])
                             : fmt::format("  exact    {}\n  got      {}", to_decimal(exact[i], 5), show(got[i]))),
          margin);
  }
  return Finding::pass(margin);
}

Finding without_bound() {
  return Finding::skip(
      "mistrusted: no useful bound exists, the formula's condition is infinite or a value leaves the "
      "range of the arithmetic");
}

Finding compare_all(const std::string& what, const Doubles& got, const std::vector<std::vector<BigFloat>>& exact,
                    const Doubles& bounds, const std::vector<Shape>& shapes, Dtype storage, const Hint& hint) {
  Finding worst = Finding::pass();
  std::int64_t bounded = 0, all = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const std::string name = exact.size() > 1 ? fmt::format("{}{}", what, k) : what;
    Finding one = compare(name, got.at(k), exact[k], bounds[k], shapes[k], storage, bounded,
                          [&](std::size_t i, double error, double bound) { return hint(k, i, error, bound); });
    all += std::ssize(exact[k]);
    one.margin.take(worst.margin);
    if (one.verdict != Verdict::pass) return one;
    worst = std::move(one);
  }
  return all > 0 && bounded == 0 ? without_bound() : worst;
}

/// Takes in how much of the bounds without declared roundings the results use.
void take_undeclared(const Subject& subject, const std::string& what, const Doubles& got,
                     const std::vector<std::vector<BigFloat>>& exact, std::span<const std::vector<double>> bounds) {
  if (bounds.empty()) return;
  double& worst = subject.truths->undeclared[what];
  for (std::size_t k = 0; k < exact.size(); ++k)
    for (std::size_t i = 0; i < exact[k].size(); ++i) {
      if (!std::isfinite(bounds[k][i]) || !is_finite(exact[k][i]) || !std::isfinite(got[k][i])) continue;
      const double error = absolute_difference(exact[k][i], BigFloat(got[k][i]));
      if (error > 0) worst = std::max(worst, error / bounds[k][i]);
    }
}

/// The hint for results at these nodes. A kernel that has declared its road knows what it declares.
Hint hint_of(const Subject& subject, const Traced& traced, const std::vector<std::int32_t>& nodes,
             const Doubles& values, bool has_road) {
  return [&, has_road](std::size_t k, std::size_t i, double error, double bound) {
    constexpr double max_share = 64;  // a larger error is not one of rounding
    if (has_road) return std::string();
    std::string rounds = declaration_hint(traced, nodes[k], i, values, subject.arithmetic, error - bound);
    if (!(error <= max_share * bound)) return rounds;
    return rounds + "\n  if the kernel takes another road than the formula, write the road as a formula: road=f";
  };
}

Finding outputs(const Subject& subject, const Case& c, Random&) {
  const auto truth = truth_of(without_backward(subject), c);
  const auto traced = subject.trace(c.extents);
  const Doubles got = subject.forward(c);
  const Hint hint = hint_of(subject, *traced, traced->graph.outputs, truth->values, bool{subject.road});
  Finding finding = compare_all("output", got, truth->outputs, truth->output_bounds, traced->shapes,
                                subject.arithmetic.storage, hint);
  if (finding.verdict == Verdict::pass)
    take_undeclared(subject, "output", got, truth->outputs, truth->undeclared_bounds);
  return finding;
}

Finding gradients(const Subject& subject, const Case& c, Random&) {
  const auto truth = truth_of(subject, c);
  const auto traced = subject.trace(c.extents);
  const Doubles got = subject.backward(c);
  const Hint hint = hint_of(subject, *traced, traced->gradients, truth->values, bool{subject.backward_road});
  Finding finding = compare_all("gradient", got, truth->gradients, truth->gradient_bounds, gradient_shapes(subject, c),
                                subject.arithmetic.storage, hint);
  if (finding.verdict == Verdict::pass && !truth->undeclared_bounds.empty())
    take_undeclared(subject, "gradient", got, truth->gradients,
                    std::span(truth->undeclared_bounds).subspan(truth->outputs.size()));
  return finding;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

Finding repeat(const Subject& subject, const Case& c, Random&) {
  const Kernel& kernel = subject.forward ? subject.forward : subject.backward;
  Case other = c;  // a call between, so that a kernel that returns what is left of a call before is caught
  for (auto& array : other.upstream) std::ranges::reverse(array);
  for (std::size_t k = 0; k < c.arrays.size(); ++k)
    if (subject.specification.inputs[k].kind == Kind::real) std::ranges::reverse(other.arrays[k]);
  const Doubles first = kernel(c);
  kernel(other);
  const Doubles second = kernel(c);
  for (std::size_t k = 0; k < first.size(); ++k)
    for (std::size_t i = 0; i < first[k].size(); ++i)
      if (!same_bits(first[k][i], second[k][i]))
        return Finding::fail(fmt::format("  element {} of output {} has other bits: {} and then {}", i, k,
                                         show(first[k][i]), show(second[k][i])));
  return Finding::pass();
}

/// The outputs' axes are those of the first input, as far as the sizes agree; -1 where an output lacks the extent.
int output_axis(const Subject& subject, const Case& c, const std::string& extent, const Shape& shape) {
  for (const Input& input : subject.specification.inputs) {
    const int axis = axis_of(input, extent);
    if (axis < 0) continue;
    const bool leading = axis < std::ssize(shape) && shape[static_cast<std::size_t>(axis)] == c.extents.at(extent);
    return leading ? axis : -1;
  }
  return -1;
}

/// Draws anew the elements at coordinates of the extent that `changes` names.
Case redrawn(const Subject& subject, const Case& c, const std::string& extent, Random& random, const auto& changes) {
  Case other = c;
  for (std::size_t k = 0; k < c.arrays.size(); ++k) {
    const Input& input = subject.specification.inputs[k];
    const int axis = axis_of(input, extent);
    if (axis < 0) continue;
    const auto fresh = draw_values(random, input, c.extents, subject.arithmetic.storage, c.values);
    const Shape shape = shape_of(input, c.extents);
    for (std::size_t i = 0; i < fresh.size(); ++i)
      if (changes(coordinate(i, shape, axis))) other.arrays[k][i] = fresh[i];
  }
  return other;
}

bool leaves_the_range(const Subject& subject, const Case& c) {
  return std::ranges::any_of(truth_of(without_backward(subject), c)->output_bounds, [](const auto& bounds) {
    return std::ranges::any_of(bounds, [](double bound) { return std::isinf(bound); });
  });
}

/// Outputs at coordinates that `changes` does not name must keep their bits, but for the sign of a 0: a kernel that
/// multiplies what it masks adds zeros of either sign. A value that overflows may reach them as 0 times infinity.
Finding keeps_others(const Subject& subject, const Case& c, const std::string& extent, Random& random,
                     const auto& changes) {
  const Case other = redrawn(subject, c, extent, random, changes);
  const Doubles before = subject.forward(c), after = subject.forward(other);
  const auto traced = subject.trace(c.extents);
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Shape& shape = traced->shapes[k];
    const int axis = output_axis(subject, c, extent, shape);
    if (axis < 0) continue;
    for (std::size_t i = 0; i < before[k].size(); ++i)
      if (!changes(coordinate(i, shape, axis)) && before[k][i] != after[k][i] && !same_bits(before[k][i], after[k][i]))
        return leaves_the_range(subject, c) || leaves_the_range(subject, other)
                   ? Finding::skip("a value leaves the range of the arithmetic")
                   : Finding::fail(fmt::format("{} changed from {} to {}, though nothing that it may depend on did",
                                               place("output", i, shape), show(before[k][i]), show(after[k][i])));
  }
  return Finding::pass();
}

Finding rows(const Subject& subject, const Case& c, Random& random, const std::string& extent) {
  const std::int64_t size = c.extents.at(extent);
  if (size < 2) return Finding::skip("fewer than two rows");
  const std::int64_t row = random.integer(0, size - 1);
  return keeps_others(subject, c, extent, random, [row](std::int64_t i) { return i == row; });
}

Finding causal(const Subject& subject, const Case& c, Random& random, const std::string& extent) {
  const std::int64_t size = c.extents.at(extent);
  if (size < 2) return Finding::skip("fewer than two steps");
  const std::int64_t first = random.integer(1, size - 1);
  return keeps_others(subject, c, extent, random, [first](std::int64_t i) { return i >= first; });
}

/// Two runs of the kernel that must differ by no more than both bounds, where `partner` gives the element to compare
/// with.
Finding compare_runs(const Subject& subject, const Case& a, const Case& b, double scale, const auto& partner) {
  const Subject forward = without_backward(subject);
  const auto of_a = truth_of(forward, a), of_b = truth_of(forward, b);
  const Doubles got_a = subject.forward(a), got_b = subject.forward(b);
  const auto traced = subject.trace(a.extents);
  Margin margin;
  for (std::size_t k = 0; k < got_a.size(); ++k)
    for (std::size_t i = 0; i < got_a[k].size(); ++i) {
      const std::size_t j = partner(i, traced->shapes[k]);
      const double bound = scale * of_a->output_bounds[k][i] + of_b->output_bounds[k][j];
      const double x = scale * got_a[k][i], y = got_b[k][j];
      if (!std::isfinite(bound) || same_bits(x, y) || x == y) continue;
      if (may_overflow(got_a[k][i], of_a->outputs[k][i], bound, subject.arithmetic.storage) ||
          may_overflow(y, of_b->outputs[k][j], bound, subject.arithmetic.storage))
        continue;
      margin.take(std::abs(x - y) / bound, place("output", i, traced->shapes[k]), std::abs(x - y));
      if (!(std::abs(x - y) <= bound))
        return Finding::fail(fmt::format("{}: {} and {}, more than both bounds {:.3g} apart",
                                         place("output", i, traced->shapes[k]), show(x), show(y), bound),
                             margin);
    }
  return Finding::pass(margin);
}

Finding permutation(const Subject& subject, const Case& c, Random&, const std::string& extent) {
  const std::int64_t size = c.extents.at(extent);
  if (size < 2) return Finding::skip("fewer than two elements");
  const auto mirrored = [&](std::size_t i, const Shape& shape, int axis) {
    if (axis < 0) return i;
    std::int64_t stride = 1;
    for (std::size_t a = static_cast<std::size_t>(axis) + 1; a < shape.size(); ++a) stride *= shape[a];
    const std::int64_t at = coordinate(i, shape, axis);
    return static_cast<std::size_t>(static_cast<std::int64_t>(i) + (size - 1 - 2 * at) * stride);
  };
  Case other = c;
  for (std::size_t k = 0; k < c.arrays.size(); ++k) {
    const Input& input = subject.specification.inputs[k];
    const Shape shape = shape_of(input, c.extents);
    for (std::size_t i = 0; i < c.arrays[k].size(); ++i)
      other.arrays[k][mirrored(i, shape, axis_of(input, extent))] = c.arrays[k][i];
  }
  return compare_runs(subject, c, other, 1, [&](std::size_t i, const Shape& shape) {
    return mirrored(i, shape, output_axis(subject, c, extent, shape));
  });
}

std::size_t same_place(std::size_t i, const Shape&) {
  return i;
}

/// The first input on a grid on which x + 64 is exact in every type.
Finding shift(const Subject& subject, const Case& c, Random&, const std::string&) {
  Case a = c, b = c;
  for (std::size_t i = 0; i < c.arrays[0].size(); ++i) {
    if (std::isinf(c.arrays[0][i])) continue;
    a.arrays[0][i] = std::round(std::clamp(c.arrays[0][i], -32.0, 32.0));
    b.arrays[0][i] = a.arrays[0][i] + 64;
  }
  return compare_runs(subject, a, b, 1, same_place);
}

Finding scaling(const Subject& subject, const Case& c, Random&, const std::string&) {
  Case other = c;
  for (double& x : other.arrays[0]) x *= 4;
  for (const double x : other.arrays[0])
    if (std::abs(x) > format_of(subject.arithmetic.storage).largest) return Finding::skip("4 x leaves the range");
  return compare_runs(subject, c, other, 4, same_place);
}

/// Groups the elements of an output into its lines along the extent.
std::map<std::size_t, std::vector<std::size_t>> lines_of(const Shape& shape, int axis) {
  std::map<std::size_t, std::vector<std::size_t>> lines;
  std::int64_t stride = 1;
  for (std::size_t a = static_cast<std::size_t>(axis) + 1; a < shape.size(); ++a) stride *= shape[a];
  for (std::size_t i = 0; i < static_cast<std::size_t>(elements_of(shape)); ++i)
    lines[i - static_cast<std::size_t>(coordinate(i, shape, axis) * stride)].push_back(i);
  return lines;
}

Finding along_lines(const Subject& subject, const Case& c, const std::string& extent, const auto& check) {
  const auto truth = truth_of(without_backward(subject), c);
  const std::vector<double> got = subject.forward(c).at(0);
  const auto traced = subject.trace(c.extents);
  const int axis = output_axis(subject, c, extent, traced->shapes[0]);
  if (axis < 0) return Finding::skip("the output has no such axis");
  for (const auto& [first, line] : lines_of(traced->shapes[0], axis)) {
    const bool bounded = std::ranges::all_of(line, [&](std::size_t i) {
      return std::isfinite(truth->output_bounds[0][i]) && is_finite(truth->outputs[0][i]);
    });
    if (std::string why = bounded ? check(line, got, truth->output_bounds[0]) : ""; !why.empty())
      return Finding::fail(fmt::format("  the line of {}: {}", place("output", first, traced->shapes[0]), why));
  }
  return Finding::pass();
}

Finding sums_to_one(const Subject& subject, const Case& c, Random&, const std::string& extent) {
  return along_lines(subject, c, extent, [](const auto& line, const auto& got, const auto& bounds) -> std::string {
    double sum = 0, bound = 0x1p-50;
    for (const std::size_t i : line) sum += got[i], bound += bounds[i];
    return std::abs(sum - 1) <= bound ? "" : fmt::format("the sum is {}, more than {:.3g} from 1", sum, bound);
  });
}

Finding monotone(const Subject& subject, const Case& c, Random&, const std::string& extent) {
  return along_lines(subject, c, extent, [&](auto line, const auto& got, const auto& bounds) -> std::string {
    const auto& x = c.arrays[0];
    std::ranges::sort(line, {}, [&](std::size_t i) { return x[i]; });
    for (std::size_t k = 1; k < line.size(); ++k) {
      const std::size_t low = line[k - 1], high = line[k];
      if (!(got[low] <= got[high] + bounds[low] + bounds[high]))
        return fmt::format("{} of the input {} but {} of the larger {}", show(got[low]), x[low], show(got[high]),
                           x[high]);
    }
    return "";
  });
}

using AlongExtent = Finding (*)(const Subject&, const Case&, Random&, const std::string&);

struct Known {
  const char* claim;
  const char* values;
  AlongExtent check;
};

const std::map<std::string, Known>& known() {
  static const std::map<std::string, Known> all = {
      {"rows", {"changing one row along {} keeps the bits of all others", "", rows}},
      {"causal", {"no output depends on what comes later along {}", "", causal}},
      {"permutation", {"reversing {} reverses the output", "", permutation}},
      {"shift", {"adding 64 to the first input changes nothing along {}", "", shift}},
      {"scaling", {"4 times the first input gives 4 times the output along {}", "", scaling}},
      {"sums_to_one", {"the output sums to 1 along {}", "", sums_to_one}},
      {"monotone", {"a larger input has no smaller output along {}", "", monotone}},
  };
  return all;
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
      {"repeat", "equal inputs give equal bits, whatever was computed between", "", repeat}};
  for (const auto& [name, extent] : subject.specification.declared) {
    const auto found = known().find(name);
    if (found == known().end())
      throw std::invalid_argument(
          fmt::format("property '{}': expected one of rows, causal, permutation, shift, scaling, "
                      "sums_to_one, monotone",
                      name));
    if (std::ranges::find(subject.specification.extents, extent) == subject.specification.extents.end())
      throw std::invalid_argument(fmt::format("property {}={}: expected {}=EXTENT with an extent of {}: {}", name,
                                              extent, name, subject.specification.name,
                                              fmt::join(subject.specification.extents, ", ")));
    if (!subject.forward) continue;
    const AlongExtent check = found->second.check;
    properties.push_back(
        {name, fmt::format(fmt::runtime(found->second.claim), extent), found->second.values,
         [check, extent](const Subject& s, const Case& c, Random& r) { return check(s, c, r, extent); }});
  }
  if (subject.forward) {
    properties.push_back({"exact", "on small integers, where nothing is rounded, equality", "integers", outputs});
    properties.push_back({"outputs", "outputs are within their bounds", "", outputs, true});
  }
  if (subject.backward) properties.push_back({"gradient", "gradients are within their bounds", "", gradients, true});
  return properties;
}

}  // namespace assay::validation::formula
