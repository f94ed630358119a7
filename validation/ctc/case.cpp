#include "validation/ctc/case.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/ctc/validate.h"
#include "validation/core/countable.h"
#include "validation/core/equality.h"
#include "validation/core/index.h"
#include "validation/ctc/fields.h"

namespace assay::validation {

bool CtcCase::operator==(const CtcCase& other) const {
  return same_fields(*this, other);
}

CtcProblem<float> CtcCase::view() const {
  auto problem = statement_of(*this);
  problem.activations = activations;
  return problem;
}

std::vector<std::int64_t> CtcCase::labels(std::int64_t b) const {
  std::int64_t offset = b * S;
  if (layout == CtcTargets::concatenated) {
    offset = 0;
    for (std::int64_t i = 0; i < b; ++i) offset += target_lengths[index(i)];
  }
  const auto begin = targets.begin() + offset;
  return {begin, begin + target_lengths[index(b)]};
}

double CtcCase::row_weight(std::int64_t b) const {
  if (reduction == Reduction::none) return upstream.empty() ? 1.0 : double{upstream[index(b)]};
  const double scalar = upstream.empty() ? 1.0 : double{upstream[0]};
  if (reduction == Reduction::sum) return scalar;
  const auto labels_or_one = std::max<std::int64_t>(target_lengths[index(b)], 1);
  return scalar / (static_cast<double>(B) * static_cast<double>(labels_or_one));
}

void require_valid(const CtcCase& c) {
  reference::validate(c.view());
  require_countable(c);
  reference::validate_activations(c.view());
}

std::vector<std::vector<std::int64_t>> all_labels(const CtcCase& c) {
  std::vector<std::vector<std::int64_t>> rows;
  auto begin = c.targets.begin();
  for (const std::int64_t length : c.target_lengths) {
    rows.emplace_back(begin, begin + length);
    begin += c.layout == CtcTargets::padded ? c.S : length;
  }
  return rows;
}

void set_targets(CtcCase& c, const std::vector<std::vector<std::int64_t>>& rows, std::int64_t padding) {
  c.S = 0;
  c.targets.clear();
  c.target_lengths.clear();
  for (const auto& row : rows) {
    c.S = std::max(c.S, static_cast<std::int64_t>(row.size()));
    c.target_lengths.push_back(static_cast<std::int64_t>(row.size()));
  }
  for (const auto& row : rows) {
    c.targets.insert(c.targets.end(), row.begin(), row.end());
    if (c.layout == CtcTargets::padded) c.targets.resize(c.targets.size() + index(c.S) - row.size(), padding);
  }
}

CtcCase select_rows(const CtcCase& c, const std::vector<std::int64_t>& which) {
  CtcCase out = without_arrays(c);
  out.B = static_cast<std::int64_t>(which.size());
  if (c.reduction != Reduction::none) out.upstream = c.upstream;
  std::vector<std::vector<std::int64_t>> labels;  // concatenated targets are read from the start
  if (c.layout == CtcTargets::concatenated) labels = all_labels(c);
  std::vector<std::vector<std::int64_t>> rows;
  for (const auto b : which) {
    rows.push_back(labels.empty() ? c.labels(b) : labels[index(b)]);
    out.input_lengths.push_back(c.input_lengths[index(b)]);
    if (c.reduction == Reduction::none && !c.upstream.empty()) out.upstream.push_back(c.upstream[index(b)]);
  }
  set_targets(out, rows);
  for (std::int64_t t = 0; t < c.T; ++t) {
    for (const auto b : which) {
      const auto frame = c.activations.begin() + (t * c.B + b) * c.C;
      out.activations.insert(out.activations.end(), frame, frame + c.C);
    }
  }
  return out;
}

CtcCase to_log_probs(CtcCase c) {
  c.input = CtcInput::log_probs;
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t) {
      double largest = -std::numeric_limits<double>::infinity();
      for (std::int64_t k = 0; k < c.C; ++k) largest = std::max(largest, double{c.activation(t, b, k)});
      double sum = 0;
      for (std::int64_t k = 0; k < c.C; ++k) sum += std::exp(double{c.activation(t, b, k)} - largest);
      for (std::int64_t k = 0; k < c.C; ++k) {
        c.activation(t, b, k) = static_cast<float>(double{c.activation(t, b, k)} - largest - std::log(sum));
      }
    }
  }
  return c;
}

}  // namespace assay::validation
