#include "validation/cce/same_tokens.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "validation/core/index.h"
#include "validation/core/reach.h"

namespace assay::validation {
namespace {

bool are_same(const CceCase& c, std::int64_t a, std::int64_t b) {
  const auto row = [&](std::int64_t n) { return c.hidden.data() + n * c.H; };
  return c.targets[index(a)] == c.targets[index(b)] && std::memcmp(row(a), row(b), index(c.H) * sizeof(float)) == 0;
}

}  // namespace

std::vector<std::int64_t> first_same_tokens(const CceCase& c) {
  std::vector<std::int64_t> first(index(c.N)), different;
  std::iota(first.begin(), first.end(), 0);
  if (!c.upstream.empty() || c.reduction != Reduction::none) return first;
  std::size_t next = 0;  // where tokens that come again in turn are found at once
  for (std::int64_t n = 0; n < c.N; ++n) {
    if (c.is_ignored(n)) continue;
    std::size_t tried = 0;
    for (; tried < different.size() && !are_same(c, different[next % different.size()], n); ++tried) ++next;
    if (tried < different.size()) {
      first[index(n)] = different[next++ % different.size()];
    } else if (std::ssize(different) < needle_period) {
      different.push_back(n);
      next = 0;
    }
  }
  return first;
}

std::vector<std::int64_t> counts_of(const std::vector<std::int64_t>& first_same) {
  std::vector<std::int64_t> counts(first_same.size());
  for (const std::int64_t n : first_same) ++counts[index(n)];
  return counts;
}

}  // namespace assay::validation
