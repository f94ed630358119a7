#include "validation/formula/needles.h"

#include <algorithm>
#include <bit>

namespace assay::validation::formula {
namespace {

constexpr double largest_graph = 3e6;  ///< elements of all nodes, those of the gradient too
constexpr double dense_graph = 3e5;    ///< up to which all kinds of values are judged at each size

bool is_too_large(Work& work, const std::string& extent, std::int64_t size) {
  return work.elements(extent, size) > largest_graph;
}

std::vector<ValueClass> all_values() {
  std::vector<ValueClass> values = {{ValueClass::Kind::equal}, {ValueClass::Kind::indexed}};
  for (int r = 0; r < needle_stride; ++r) values.push_back({.kind = ValueClass::Kind::signs, .residue = r});
  return values;
}

}  // namespace

NeedleSizes needle_sizes_of(const Specification& specification, Work& work, const std::string& extent, Reach reach,
                            bool against_reference) {
  const std::int64_t limit = limit_of(specification, extent);
  if (limit <= others || is_too_large(work, extent, others)) return {};
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(limit - 1)));
  auto sizes = needle_sizes({extent.c_str(), ' ', power}, reach, against_reference);
  if (!sizes.empty() && (against_reference || reach != Reach::quick)) sizes.push_back(limit);
  if (sizes.empty()) return {};
  const std::int64_t due = taken_size(specification, extent, sizes.back());
  while (is_too_large(work, extent, sizes.back())) sizes.back() = (sizes.back() - 1) / 2 + 1;
  for (std::int64_t& size : sizes) size = taken_size(specification, extent, size);
  std::erase_if(sizes, [&](std::int64_t size) { return size > limit || is_too_large(work, extent, size); });
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return {sizes, due};
}

NeedleSizes wide_needle_sizes_of(Specification specification, Work& work, const std::string& extent, Reach reach,
                                 std::int64_t largest) {
  NeedleSizes all = needle_sizes_of(specification, work, extent, reach, false);
  specification.limits.try_emplace(extent, largest);
  std::int64_t size = taken_size(specification, extent, limit_of(specification, extent));
  all.due = size;
  while (size > others && work.with_nodes(extent, size) > largest_graph)
    size = taken_size(specification, extent, (size - 1) / 2 + 1);
  if (!all.sizes.empty() && size > all.sizes.back()) all.sizes.push_back(size);
  return all;
}

std::vector<ValueClass> needle_values(Work& work, const std::string& extent, std::int64_t size, bool against_reference,
                                      bool is_largest, bool of_gradient) {
  if (!against_reference) return {{ValueClass::Kind::normal}};
  std::vector<ValueClass> values = all_values();
  if (!is_largest && work.elements(extent, size) > dense_graph)
    return {values[static_cast<std::size_t>(size) % values.size()]};
  if (of_gradient && is_largest)
    for (int r = 0; r < needle_stride; ++r) values.push_back({.kind = ValueClass::Kind::peaked, .residue = r});
  return values;
}

}  // namespace assay::validation::formula
