#include "validation/formula/needles.h"

#include <algorithm>
#include <bit>

namespace assay::validation::formula {
namespace {

constexpr std::int64_t usual_limit = 4097;
constexpr std::int64_t largest_graph = 3'000'000;  ///< elements of all nodes, those of the gradient too
constexpr std::int64_t others = 2;

std::int64_t limit_of(const Specification& specification, const std::string& extent) {
  const auto found = specification.limits.find(extent);
  return found == specification.limits.end() ? usual_limit : found->second;
}

Extents extents_at(const Specification& specification, const std::string& extent, std::int64_t size) {
  Extents extents;
  for (const auto& name : specification.extents)
    extents[name] = name == extent ? size : std::min(others, limit_of(specification, name));
  return extents;
}

/// An estimate that needs no trace at the large size, which may be too large to hold.
bool is_too_large(const Specification& specification, const Trace& trace, const std::string& extent,
                  std::int64_t size) {
  const auto elements = [&](std::int64_t at) { return trace(extents_at(specification, extent, at))->graph.elements(); };
  if (size <= others) return false;
  for (std::int64_t at = others; at < std::min<std::int64_t>(size, 64); at *= 2)
    if (elements(at) > largest_graph) return true;
  if (size <= 64) return elements(size) > largest_graph;
  const auto half = elements(32), whole = elements(64);
  const double growth = static_cast<double>(whole) / static_cast<double>(std::max<std::int64_t>(half, 1));
  double estimate = static_cast<double>(whole);
  for (std::int64_t at = 64; at < size; at *= 2) estimate *= growth;
  return estimate > static_cast<double>(largest_graph);
}

}  // namespace

std::vector<Needle> needles_of(const Specification& specification, const Trace& trace, Reach reach,
                               bool against_reference, bool of_gradient) {
  std::vector<Needle> needles;
  std::vector<std::string> values = {"normal"};
  if (against_reference) {
    values = {"equal", "indexed"};
    for (int r = 0; r < needle_stride; ++r) values.push_back("signed " + std::to_string(r));
  }
  for (const auto& extent : specification.extents) {
    const std::int64_t limit = limit_of(specification, extent);
    if (limit <= others || trace(extents_at(specification, extent, others))->graph.elements() > largest_graph) continue;
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(limit - 1)));
    const NeedleExtent one{extent.c_str(), ' ', power};
    auto sizes = needle_sizes(one, reach, against_reference);
    if (!sizes.empty() && (against_reference || reach != Reach::quick)) sizes.push_back(limit);
    if (sizes.empty()) continue;
    const std::int64_t due = sizes.back();
    while (is_too_large(specification, trace, extent, sizes.back())) sizes.back() = (sizes.back() - 1) / 2 + 1;
    std::ranges::sort(sizes);
    sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
    for (const std::int64_t size : sizes) {
      if (size > limit || is_too_large(specification, trace, extent, size)) continue;
      for (const auto& kind : values) needles.push_back({extent, size, due, kind});
    }
    if (!of_gradient || is_too_large(specification, trace, extent, sizes.back())) continue;
    for (int r = 0; r < needle_stride; ++r)
      needles.push_back({extent, sizes.back(), due, "peaked " + std::to_string(r)});
  }
  return needles;
}

Case drawn(const Needle& needle, const Specification& specification, const Trace& trace, Dtype dtype, Random& random) {
  return filled(random, extents_at(specification, needle.extent, needle.size), specification, trace, dtype,
                needle.values);
}

}  // namespace assay::validation::formula
