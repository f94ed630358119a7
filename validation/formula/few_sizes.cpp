#include "validation/formula/few_sizes.h"

#include <algorithm>

#include "validation/formula/needles.h"
#include "validation/formula/work.h"

namespace assay::validation::formula {
namespace {

std::int64_t elements_at(const Specification& specification, const Extents& extents) {
  std::int64_t elements = 0;
  for (const Input& input : specification.inputs) elements += elements_of(shape_of(input, extents));
  return elements;
}

}  // namespace

std::vector<Extents> few_extents(const Specification& specification, const Trace& trace, int count,
                                 std::uint64_t seed) {
  constexpr int tries_of_each = 20, largest_size = 100;
  Random random(seed);
  Work work(specification, trace);
  std::vector<Extents> only;
  const auto add = [&](const Extents& extents) {
    if (std::ssize(only) < count && std::ranges::find(only, extents) == only.end()) only.push_back(extents);
  };
  for (const Extents& sizes : specification.layouts)
    if (only.empty() || 2 * std::ssize(only) < count) add(extents_at(specification, sizes));
  for (const auto& name : specification.extents) {
    const auto large = needle_sizes_of(specification, work, name, Reach::quick, true).sizes;
    if (!large.empty() && 2 * std::ssize(only) < count) add(extents_at(specification, {{name, large.back()}}));
  }
  for (int i = 0; i < tries_of_each * count && std::ssize(only) < count; ++i)
    add(draw_extents(random, largest_size * (i % count) / std::max(count - 1, 1), specification, trace));
  std::ranges::stable_sort(only, {}, [&](const Extents& one) { return elements_at(specification, one); });
  return only;
}

}  // namespace assay::validation::formula
