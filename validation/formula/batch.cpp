#include "validation/formula/batch.h"

#include <fmt/format.h>

#include <set>

#include "validation/core/number.h"
#include "validation/core/sizes.h"
#include "validation/formula/within_bounds.h"

namespace assay::validation::formula {
namespace {

/// The element of an array with more rows that has the coordinates of element `i` of one with `fewer`.
std::size_t same_element(std::size_t i, const Shape& fewer, std::int64_t rows, int axis) {
  std::int64_t inner = 1;
  for (std::size_t a = static_cast<std::size_t>(axis) + 1; a < fewer.size(); ++a) inner *= fewer[a];
  const auto outer = static_cast<std::int64_t>(i) / (inner * fewer[static_cast<std::size_t>(axis)]);
  return i + static_cast<std::size_t>(outer * inner * (rows - fewer[static_cast<std::size_t>(axis)]));
}

/// Compares a call with the first `fewer` rows alone with the results for all.
Finding compare_with_fewer(const Subject& subject, const Case& whole, const Doubles& of_whole,
                           const std::string& extent, std::int64_t fewer) {
  const std::int64_t size = whole.extents.at(extent);
  const Case part = with_extent(subject.specification, whole, extent, fewer, subject.trace);
  const Doubles of_part = subject.forward(part);
  const auto traced = subject.trace(part.extents);
  Finding finding = Finding::pass();
  for (std::size_t k = 0; k < of_part.size(); ++k) {
    const Shape& shape = traced->shapes[k];
    const int axis = output_axis(subject, part, extent, shape);
    if (axis < 0) continue;
    for (std::size_t i = 0; i < of_part[k].size(); ++i) {
      finding.judged.add(0, no_range);
      const double one = of_part[k][i], other = of_whole[k][same_element(i, shape, size, axis)];
      if (!same_bits(one, other))
        return Finding::fail(fmt::format("  {} is {} where {} = {}, and {} where {} = {}", place("output", i, shape),
                                         show(one), extent, fewer, show(other), extent, size),
                             {}, {Clue::Kind::other_bits});
    }
  }
  return finding;
}

}  // namespace

Finding batch(const Subject& subject, const Case& drawn, Random& random, const std::string& extent) {
  const std::int64_t size = drawn.extents.at(extent);
  if (size < 2) return Finding::skip("fewer than two rows");
  Case whole = drawn;
  whole.layout = 0;  // a kernel may sum in another order where arrays lie otherwise
  const Doubles of_whole = subject.forward(whole);
  Finding finding = Finding::pass();
  for (const std::int64_t fewer : std::set<std::int64_t>{1, log_uniform(random, 1, size - 1), size / 2, size - 1}) {
    if (taken_size(subject.specification, extent, fewer) != fewer) continue;
    finding.take(compare_with_fewer(subject, whole, of_whole, extent, fewer));
    if (finding.verdict != Verdict::pass) break;
  }
  return finding;
}

}  // namespace assay::validation::formula
