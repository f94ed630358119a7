// All alignments of l, straight from the definition: B^-1(l) among the sequences of T classes, by trying every one of
// them. It knows nothing of states, skips or recursions, so it is what those are held against.
//
// Time O(T (n + 1)^T) with n the number of different labels in l: for a handful of frames.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/ctc/collapse.h"

namespace assay::reference {

/// Every alignment pi [T] with B(pi) = l, in the order of counting with the last frame as the fastest digit.
inline std::vector<std::vector<std::int64_t>> alignments(std::int64_t T, std::span<const std::int64_t> labels,
                                                         std::int64_t blank) {
  std::vector<std::int64_t> classes(labels.begin(), labels.end());
  classes.push_back(blank);
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());

  std::vector<std::vector<std::int64_t>> found;
  std::vector<std::size_t> digits(static_cast<std::size_t>(T), 0);
  std::vector<std::int64_t> alignment(digits.size(), classes[0]);
  while (true) {
    const std::vector<std::int64_t> collapsed = collapse(alignment, blank);
    if (std::equal(collapsed.begin(), collapsed.end(), labels.begin(), labels.end())) found.push_back(alignment);
    std::size_t t = digits.size();
    while (t > 0 && digits[t - 1] + 1 == classes.size()) digits[--t] = 0, alignment[t] = classes[0];
    if (t == 0) return found;
    alignment[t - 1] = classes[++digits[t - 1]];
  }
}

}  // namespace assay::reference
