#include "validation/ctc/case.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "reference/ctc/validate.h"

namespace assay::validation {
namespace {

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

auto all_but_floats(const CtcCase& c) {
  return std::tie(c.T, c.B, c.C, c.S, c.targets, c.input_lengths, c.target_lengths, c.blank, c.input, c.variable,
                  c.layout, c.reduction, c.zero_infinity);
}

}  // namespace

bool CtcCase::operator==(const CtcCase& other) const {
  return all_but_floats(*this) == all_but_floats(other) && same_bits(activations, other.activations) &&
         same_bits(upstream, other.upstream);
}

CtcProblem<float> CtcCase::view() const {
  return {T,        B,     C,     S,        activations, targets,   input_lengths, target_lengths,
          upstream, blank, input, variable, layout,      reduction, zero_infinity};
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
  reference::validate_activations(c.view());
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
  CtcCase out = c;
  out.B = static_cast<std::int64_t>(which.size());
  out.activations.clear();
  out.input_lengths.clear();
  if (c.reduction == Reduction::none) out.upstream.clear();
  std::vector<std::vector<std::int64_t>> rows;
  for (const auto b : which) {
    rows.push_back(c.labels(b));
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

}  // namespace assay::validation
