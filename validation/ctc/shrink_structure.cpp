#include "validation/ctc/shrink_structure.h"
#include "validation/core/index.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace assay::validation {
namespace {

/// The new names of all classes without those in [first, last) that no row and no blank needs; -1 for these.
std::vector<std::int64_t> names_without(const CtcCase& c, std::int64_t first, std::int64_t last) {
  std::vector<bool> is_kept(index(c.C), true);
  std::fill(is_kept.begin() + first, is_kept.begin() + last, false);
  is_kept[index(c.blank)] = true;
  for (const auto& row : all_labels(c))
    for (const auto label : row) is_kept[index(label)] = true;
  std::vector<std::int64_t> names(index(c.C), -1);
  for (std::int64_t k = 0, next = 0; k < c.C; ++k)
    if (is_kept[index(k)]) names[index(k)] = next++;
  return names;
}

/// Whether every frame in use has a finite activation of a class with a name; else its softmax would become 0/0.
bool all_frames_have(const CtcCase& c, const std::vector<std::int64_t>& names) {
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t t = 0; t < c.input_lengths[index(b)]; ++t) {
      bool finite = false;
      for (std::int64_t k = 0; k < c.C && !finite; ++k)
        finite = names[index(k)] >= 0 && std::isfinite(c.activation(t, b, k));
      if (!finite) return false;
    }
  }
  return true;
}

std::int64_t part_of(std::int64_t length, std::int64_t n) {
  return (length + n - 1) / n;
}

}  // namespace

void drop_unused_frames(CtcCase& c, std::int64_t spare) {
  std::int64_t longest = 0;
  for (const auto length : c.input_lengths) longest = std::max(longest, length);
  c.T = std::min(c.T, longest + spare);
  c.activations.resize(index(c.T * c.B * c.C));
}

void cut_frames(CtcCase& c, CtcRows rows, std::int64_t n, CtcEnd end) {
  for (std::int64_t b = rows.first; b < rows.last; ++b) {
    std::int64_t& length = c.input_lengths[index(b)];
    const std::int64_t cut = part_of(length, n);
    length -= cut;
    for (std::int64_t t = 0; end == CtcEnd::front && t < length; ++t)
      for (std::int64_t k = 0; k < c.C; ++k) c.activation(t, b, k) = c.activation(t + cut, b, k);
  }
}

void cut_labels(CtcCase& c, CtcRows rows, std::int64_t n, CtcEnd end) {
  auto labels = all_labels(c);
  for (std::int64_t b = rows.first; b < rows.last; ++b) {
    auto& row = labels[index(b)];
    const std::int64_t cut = part_of(std::ssize(row), n);
    const auto begin = end == CtcEnd::front ? row.begin() : row.end() - cut;
    row.erase(begin, begin + cut);
  }
  set_targets(c, labels);
}

void drop_classes(CtcCase& c, std::int64_t first, std::int64_t last) {
  const std::vector<std::int64_t> names = names_without(c, first, last);
  const auto dropped = std::ranges::count(names, -1);
  if (dropped == 0 || !all_frames_have(c, names)) return;
  auto rows = all_labels(c);
  for (auto& row : rows)
    for (auto& label : row) label = names[index(label)];
  std::vector<float> activations;
  for (std::size_t i = 0; i < c.activations.size(); ++i)
    if (names[i % index(c.C)] >= 0) activations.push_back(c.activations[i]);
  c.activations = std::move(activations);
  c.C -= dropped;
  c.blank = names[index(c.blank)];
  set_targets(c, rows);
}

void use_padded_targets(CtcCase& c) {
  const auto rows = all_labels(c);
  c.layout = CtcTargets::padded;
  set_targets(c, rows);
}

}  // namespace assay::validation
