// The map B of Graves et al. 2006, section 3.1: from an alignment pi [T] to its labels, by merging runs of equal
// classes and then dropping the blanks.
//
//   B(a - a b -) = B(- a a - - a b b) = a a b
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::reference {

inline std::vector<std::int64_t> collapse(std::span<const std::int64_t> alignment, std::int64_t blank) {
  std::vector<std::int64_t> labels;
  for (std::size_t t = 0; t < alignment.size(); ++t) {
    const bool starts_run = t == 0 || alignment[t] != alignment[t - 1];
    if (starts_run && alignment[t] != blank) labels.push_back(alignment[t]);
  }
  return labels;
}

}  // namespace assay::reference
