#include "validation/ctc/shrink_structure.h"

#include <algorithm>
#include <cmath>

namespace assay::validation {
namespace {

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

std::vector<std::vector<std::int64_t>> all_labels(const CtcCase& c) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t b = 0; b < c.B; ++b) rows.push_back(c.labels(b));
  return rows;
}

bool some_row_speaks_of(const CtcCase& c, std::int64_t k) {
  for (const auto& row : all_labels(c)) {
    if (std::find(row.begin(), row.end(), k) != row.end()) return true;
  }
  return false;
}

/// Whether every frame in use has a finite activation besides class k; otherwise its softmax would become 0/0.
bool can_spare(const CtcCase& c, std::int64_t k) {
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t t = 0; t < c.input_lengths[index(b)]; ++t) {
      bool finite = false;
      for (std::int64_t j = 0; j < c.C; ++j) finite = finite || (j != k && std::isfinite(c.activation(t, b, j)));
      if (!finite) return false;
    }
  }
  return true;
}

}  // namespace

void drop_unused_frames(CtcCase& c, std::int64_t spare) {
  std::int64_t longest = 0;
  for (const auto length : c.input_lengths) longest = std::max(longest, length);
  c.T = std::min(c.T, longest + spare);
  c.activations.resize(index(c.T * c.B * c.C));
}

void keep_first_frames(CtcCase& c, std::int64_t b, std::int64_t count) {
  if (count < 0 || count >= c.input_lengths[index(b)]) return;
  c.input_lengths[index(b)] = count;
}

void keep_last_frames(CtcCase& c, std::int64_t b, std::int64_t count) {
  const std::int64_t length = c.input_lengths[index(b)];
  if (count < 0 || count >= length) return;
  for (std::int64_t t = 0; t < count; ++t) {
    for (std::int64_t k = 0; k < c.C; ++k) c.activation(t, b, k) = c.activation(t + length - count, b, k);
  }
  c.input_lengths[index(b)] = count;
}

void keep_labels(CtcCase& c, std::int64_t b, std::int64_t first, std::int64_t last) {
  auto rows = all_labels(c);
  auto& row = rows[index(b)];
  if (first < 0 || last < first || last > static_cast<std::int64_t>(row.size())) return;
  row = std::vector<std::int64_t>(row.begin() + first, row.begin() + last);
  set_targets(c, rows);
}

void drop_class(CtcCase& c, std::int64_t k) {
  if (k == c.blank || c.C < 2 || some_row_speaks_of(c, k) || !can_spare(c, k)) return;
  auto rows = all_labels(c);
  for (auto& row : rows) {
    for (auto& label : row) label -= label > k ? 1 : 0;
  }
  CtcCase smaller = c;
  smaller.C = c.C - 1;
  smaller.blank -= c.blank > k ? 1 : 0;
  smaller.activations.clear();
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(c.activations.size()); ++i) {
    if (i % c.C != k) smaller.activations.push_back(c.activations[index(i)]);
  }
  set_targets(smaller, rows);
  c = std::move(smaller);
}

void use_padded_targets(CtcCase& c) {
  const auto rows = all_labels(c);
  c.layout = CtcTargets::padded;
  set_targets(c, rows);
}

}  // namespace assay::validation
