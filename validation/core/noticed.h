// What a comparison would notice: elements larger than their bounds, so that a zero in their place fails, and terms of
// sums larger than the bound on the sum, so that a sum without the term, or with it twice, fails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::validation {

/// Indices, each with the letter that names it.
class MarkedIndices {
 public:
  /// `letter` names the index, 'a' to 'z'.
  void mark(char letter, std::int64_t index) {
    auto& marks = marks_[static_cast<std::size_t>(letter - 'a')];
    const auto i = static_cast<std::size_t>(index);
    if (marks.size() <= i) marks.resize(i + 1 + i / 2, false);
    marks[i] = true;
  }

  /// How many indices of that name are marked.
  std::int64_t count(char letter) const {
    std::int64_t marked = 0;
    for (const bool is_marked : marks_[static_cast<std::size_t>(letter - 'a')]) marked += is_marked ? 1 : 0;
    return marked;
  }

 private:
  std::array<std::vector<bool>, 26> marks_;
};

struct Noticed {
  MarkedIndices elements, terms;
};

}  // namespace assay::validation
