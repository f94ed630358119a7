#include "validation/formula/relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "validation/core/number.h"
#include "validation/formula/batch.h"
#include "validation/formula/element_errors.h"
#include "validation/formula/values.h"
#include "validation/formula/within_bounds.h"

namespace assay::validation::formula {
namespace {

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

/// Outputs at coordinates that `changes` does not name must stay the same numbers. A 0 may become -0: a kernel that
/// multiplies what it masks adds zeros of either sign. A value that overflows may reach them as 0 times infinity.
Finding keeps_others(const Subject& subject, Case c, const std::string& extent, Random& random, const auto& changes) {
  if (repeats(c.layout)) c.layout = 0;  // both cases in one layout
  const Case other = redrawn(subject, c, extent, random, changes);
  const Doubles before = subject.forward(c), after = subject.forward(other);
  const auto traced = subject.trace(c.extents);
  Finding finding = Finding::pass();
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Shape& shape = traced->shapes[k];
    const int axis = output_axis(subject, c, extent, shape);
    if (axis < 0) continue;
    for (std::size_t i = 0; i < before[k].size(); ++i) {
      if (changes(coordinate(i, shape, axis))) continue;
      finding.judged.add(0, no_range);
      if (before[k][i] != after[k][i] && !same_bits(before[k][i], after[k][i]))
        return leaves_the_range(subject, c) || leaves_the_range(subject, other)
                   ? Finding::skip("a value leaves the range of the arithmetic")
                   : Finding::fail(fmt::format("{} changed from {} to {}, though nothing that it may depend on did",
                                               place("output", i, shape), show(before[k][i]), show(after[k][i])));
    }
  }
  return finding;
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
  Finding finding = Finding::pass();
  finding.evidence = evidence_of(*of_a);
  finding.evidence.merge(evidence_of(*of_b));
  for (std::size_t k = 0; k < got_a.size(); ++k)
    for (std::size_t i = 0; i < got_a[k].size(); ++i) {
      const std::size_t j = partner(i, traced->shapes[k]);
      const double bound = scale * of_a->output_bounds[k][i] + of_b->output_bounds[k][j];
      const double x = scale * got_a[k][i], y = got_b[k][j];
      const bool is_one = finding.judged.add(bound, scale * of_a->output_ranges[k]);
      if (!std::isfinite(bound) || same_bits(x, y) || x == y) continue;
      const Dtype storage = storage_of_output(subject, k);
      if (may_overflow(got_a[k][i], of_a->outputs[k][i], bound, storage) ||
          may_overflow(y, of_b->outputs[k][j], bound, storage))
        continue;
      const double error = std::abs(x - y);
      if (is_one || !(error <= bound)) finding.margin.take(error / bound, place("output", i, traced->shapes[k]), error);
      if (!(error <= bound))
        return Finding::fail(fmt::format("{}: {} and {}, more than both bounds {:.3g} apart",
                                         place("output", i, traced->shapes[k]), show(x), show(y), bound),
                             finding.margin, Clue::number(x, y));
    }
  return finding;
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
  const Dtype storage = subject.specification.inputs[0].dtype.value_or(subject.arithmetic.storage);
  for (double& x : other.arrays[0]) x *= 4;
  for (const double x : other.arrays[0])
    if (std::abs(x) > format_of(storage).largest) return Finding::skip("4 x leaves the range");
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

Finding along_lines(const Subject& subject, const Case& c, const std::string& extent, double range, const auto& check) {
  const auto truth = truth_of(without_backward(subject), c);
  const std::vector<double> got = subject.forward(c).at(0);
  const auto traced = subject.trace(c.extents);
  const int axis = output_axis(subject, c, extent, traced->shapes[0]);
  if (axis < 0) return Finding::skip("the output has no such axis");
  Finding finding = Finding::pass();
  finding.evidence = evidence_of(*truth);
  for (const auto& [first, line] : lines_of(traced->shapes[0], axis)) {
    const bool bounded = std::ranges::all_of(line, [&](std::size_t i) {
      return std::isfinite(truth->output_bounds[0][i]) && is_finite(truth->outputs[0][i]);
    });
    double bound = 0;
    for (const std::size_t i : line) bound += truth->output_bounds[0][i];
    finding.judged.add(bounded ? bound : infinity, range);
    if (std::string why = bounded ? check(line, got, truth->output_bounds[0]) : ""; !why.empty())
      return Finding::fail(fmt::format("  the line of {}: {}", place("output", first, traced->shapes[0]), why));
  }
  return finding;
}

Finding sums_to_one(const Subject& subject, const Case& c, Random&, const std::string& extent) {
  return along_lines(subject, c, extent, 1, [](const auto& line, const auto& got, const auto& bounds) -> std::string {
    double sum = 0, bound = 0x1p-50;
    for (const std::size_t i : line) sum += got[i], bound += bounds[i];
    return std::abs(sum - 1) <= bound ? "" : fmt::format("the sum is {}, more than {:.3g} from 1", sum, bound);
  });
}

Finding monotone(const Subject& subject, const Case& c, Random&, const std::string& extent) {
  return along_lines(subject, c, extent, no_range, [&](auto line, const auto& got, const auto& bounds) -> std::string {
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

}  // namespace

int output_axis(const Subject& subject, const Case& c, const std::string& extent, const Shape& shape) {
  for (const Input& input : subject.specification.inputs) {
    const int axis = axis_of(input, extent);
    if (axis < 0) continue;
    const bool leading = axis < std::ssize(shape) && shape[static_cast<std::size_t>(axis)] == c.extents.at(extent);
    return leading ? axis : -1;
  }
  return -1;
}

const std::map<std::string, Relation>& relations() {
  static const std::map<std::string, Relation> all = {
      {"rows", {"changing one row along {} changes no other", rows, true}},
      {"batch", {"a row along {} has the same bits in any batch", batch, true}},
      {"causal", {"no output depends on what comes later along {}", causal, true}},
      {"permutation", {"reversing {} reverses the output", permutation}},
      {"shift", {"adding 64 to the first input changes nothing along {}", shift}},
      {"scaling", {"4 times the first input gives 4 times the output along {}", scaling}},
      {"sums_to_one", {"the output sums to 1 along {}", sums_to_one}},
      {"monotone", {"a larger input has no smaller output along {}", monotone}},
  };
  return all;
}

}  // namespace assay::validation::formula
