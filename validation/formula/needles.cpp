#include "validation/formula/needles.h"

#include <algorithm>
#include <bit>

#include "validation/formula/work.h"

namespace assay::validation::formula {
namespace {

constexpr double largest_graph = 3e6;  ///< elements of all nodes, those of the gradient too
constexpr double dense_graph = 3e5;    ///< up to which all kinds of values are judged at each size

}  // namespace

std::vector<Needle> needles_of(const Specification& specification, const Trace& trace, Reach reach,
                               bool against_reference, bool of_gradient) {
  std::vector<Needle> needles;
  std::vector<ValueClass> values = {{ValueClass::Kind::normal}};
  if (against_reference) {
    values = {{ValueClass::Kind::equal}, {ValueClass::Kind::indexed}};
    for (int r = 0; r < needle_stride; ++r) values.push_back({.kind = ValueClass::Kind::signs, .residue = r});
  }
  Work work(specification, trace);
  for (const auto& extent : specification.extents) {
    const std::int64_t limit = limit_of(specification, extent);
    const auto is_too_large = [&](std::int64_t size) { return work.elements(extent, size) > largest_graph; };
    if (limit <= others || is_too_large(others)) continue;
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(limit - 1)));
    const NeedleExtent one{extent.c_str(), ' ', power};
    auto sizes = needle_sizes(one, reach, against_reference);
    if (!sizes.empty() && (against_reference || reach != Reach::quick)) sizes.push_back(limit);
    if (sizes.empty()) continue;
    const std::int64_t due = sizes.back();
    while (is_too_large(sizes.back())) sizes.back() = (sizes.back() - 1) / 2 + 1;
    std::ranges::sort(sizes);
    sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
    for (const std::int64_t size : sizes) {
      if (size > limit || is_too_large(size)) continue;
      const bool is_dense = size == sizes.back() || work.elements(extent, size) <= dense_graph;
      for (std::size_t i = 0; i < (is_dense ? values.size() : 1); ++i)
        needles.push_back({extent, size, due, values[is_dense ? i : needles.size() % values.size()]});
    }
    if (!of_gradient || is_too_large(sizes.back())) continue;
    for (int r = 0; r < needle_stride; ++r)
      needles.push_back({extent, sizes.back(), due, {.kind = ValueClass::Kind::peaked, .residue = r}});
  }
  return needles;
}

Case drawn(const Needle& needle, const Specification& specification, const Trace& trace, Dtype dtype, Random& random) {
  return filled(random, extents_at(specification, {{needle.extent, needle.size}}), specification, trace, dtype,
                needle.values);
}

}  // namespace assay::validation::formula
