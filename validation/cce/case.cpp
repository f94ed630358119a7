#include "validation/cce/case.h"

#include <algorithm>
#include <cmath>

#include "reference/cce/validate.h"
#include "validation/cce/fields.h"
#include "validation/core/countable.h"
#include "validation/core/equality.h"

namespace assay::validation {
namespace {

/// Row `i` of a matrix of `width` columns, appended.
void append_row(std::vector<float>& to, const std::vector<float>& from, std::int64_t i, std::int64_t width,
                std::int64_t count) {
  const auto begin = from.begin() + i * width;
  to.insert(to.end(), begin, begin + count);
}

}  // namespace

CceProblem<float> CceCase::view() const {
  auto problem = statement_of(*this);
  problem.hidden = hidden;
  problem.weight = weight;
  problem.bias = bias;
  return problem;
}

std::int64_t CceCase::valid_tokens() const {
  return CceFields::valid_tokens(statement_of(*this));
}

bool CceCase::has_softcap() const {
  return logit_softcap > 0 && std::isfinite(logit_softcap);
}

double CceCase::token_weight(std::int64_t n) const {
  if (is_ignored(n)) return 0;
  const double share = reduction == Reduction::mean ? 1.0 / static_cast<double>(valid_tokens()) : 1.0;
  if (upstream.empty()) return share;
  return share * double{upstream[reduction == Reduction::none ? static_cast<std::size_t>(n) : 0]};
}

bool CceCase::operator==(const CceCase& other) const {
  return same_fields(*this, other);
}

void require_valid(const CceCase& c) {
  reference::validate(c.view());
  require_countable(c);
  reference::validate_values(c.view());
}

CceCase select_tokens(const CceCase& c, const std::vector<std::int64_t>& which) {
  CceCase d = without_arrays(c);
  d.N = static_cast<std::int64_t>(which.size());
  d.weight = c.weight;
  d.bias = c.bias;
  const bool per_token = c.reduction == Reduction::none && !c.upstream.empty();
  if (!per_token) d.upstream = c.upstream;
  for (const std::int64_t n : which) {
    append_row(d.hidden, c.hidden, n, c.H, c.H);
    d.targets.push_back(c.targets[static_cast<std::size_t>(n)]);
    if (per_token) d.upstream.push_back(c.upstream[static_cast<std::size_t>(n)]);
  }
  return d;
}

CceCase select_entries(const CceCase& c, const std::vector<std::int64_t>& which) {
  CceCase d = c;
  d.V = static_cast<std::int64_t>(which.size());
  d.weight.clear();
  d.bias.clear();
  for (const std::int64_t v : which) {
    append_row(d.weight, c.weight, v, c.H, c.H);
    if (!c.bias.empty()) d.bias.push_back(c.bias[static_cast<std::size_t>(v)]);
  }
  std::vector<std::int64_t> name(static_cast<std::size_t>(c.V), -1);  // that an entry has in `d`
  for (std::size_t i = which.size(); i-- > 0;) name[static_cast<std::size_t>(which[i])] = static_cast<std::int64_t>(i);
  for (auto& target : d.targets) {
    if (target == c.ignore_index) continue;
    target = name[static_cast<std::size_t>(target)];
  }
  // A target that is renamed to ignore_index would be ignored.
  if (c.ignore_index >= 0) {
    for (std::size_t n = 0; n < d.targets.size(); ++n)
      if (c.targets[n] == c.ignore_index) d.targets[n] = -1;
    d.ignore_index = -1;
  }
  return d;
}

CceCase keep_columns(const CceCase& c, std::int64_t count) {
  CceCase d = c;
  d.H = count;
  d.hidden.clear();
  d.weight.clear();
  for (std::int64_t n = 0; n < c.N; ++n) append_row(d.hidden, c.hidden, n, c.H, count);
  for (std::int64_t v = 0; v < c.V; ++v) append_row(d.weight, c.weight, v, c.H, count);
  return d;
}

}  // namespace assay::validation
