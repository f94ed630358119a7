#include "validation/formula/work.h"

#include <algorithm>
#include <cmath>

namespace assay::validation::formula {

Extents extents_at(const Specification& specification, const Extents& sizes) {
  Extents extents;
  for (const auto& name : specification.extents)
    extents[name] = taken_size(specification, name, std::min(others, limit_of(specification, name)));
  for (const auto& [name, size] : sizes) extents[name] = size;
  return extents;
}

double work_of_moving(const Specification& specification, const Extents& sizes) {
  double elements = 0;
  for (const Input& input : specification.inputs)
    elements += static_cast<double>(elements_of(shape_of(input, extents_at(specification, sizes))));
  return 50 * elements;
}

Work::Counts Work::at(const Extents& sizes) {
  const auto [entry, is_new] = known_.try_emplace(sizes);
  if (is_new) {
    const auto traced = trace_(extents_at(specification_, sizes));
    const auto elements = static_cast<double>(traced->graph.elements());
    entry->second = {elements,
                     elements + specification_.work_of_node * static_cast<double>(traced->graph.nodes.size())};
  }
  return entry->second;
}

double Work::estimate(const std::string& extent, std::int64_t size, double Counts::* count) {
  if (size <= 64) return at({{extent, size}}).*count;
  const double a = at({{extent, 16}}).*count, b = at({{extent, 32}}).*count, c = at({{extent, 64}}).*count;
  const double first = (b - a) / 16, second = ((c - b) / 32 - first) / 48;
  const auto n = static_cast<double>(size);
  return std::max(c, a + (n - 16) * (first + (n - 32) * second));
}

double Work::elements(const std::string& extent, std::int64_t size) {
  return estimate(extent, size, &Counts::elements);
}

double Work::with_nodes(const std::string& extent, std::int64_t size) {
  return estimate(extent, size, &Counts::with_nodes);
}

double Work::with_nodes(const std::string& a, std::int64_t size_a, const std::string& b, std::int64_t size_b) {
  const double whole = at({{a, 64}, {b, 64}}).with_nodes;
  const auto growth = [&](const Extents& half, std::int64_t size) {
    return std::pow(whole / std::max(at(half).with_nodes, 1.0), std::log2(static_cast<double>(size) / 64));
  };
  return whole * growth({{a, 32}, {b, 64}}, size_a) * growth({{a, 64}, {b, 32}}, size_b);
}

}  // namespace assay::validation::formula
