// alpha or beta [T, L] of a row, with memory for the live states alone: those that an alignment can be in (labels.h).
//
// T = 4098 frames of S = 4097 labels have 33 million states, of which 12,292 are live.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/ctc/labels.h"

namespace assay::reference {

template <class Weight>
class LiveTable {
 public:
  /// Zeros.
  LiveTable(std::int64_t T, std::int64_t L) : states_(L), begins_{0} {
    for (std::int64_t t = 0; t < T; ++t) {
      const auto [first, end] = live_states(t, T, L);
      first_.push_back(first);
      begins_.push_back(begins_.back() + static_cast<std::size_t>(std::max<std::int64_t>(end - first, 0)));
    }
    elements_.resize(begins_.back(), Weight(0));
  }

  std::int64_t rows() const { return std::ssize(first_); }
  std::int64_t cols() const { return states_; }

  /// The element of a live state s.
  Weight& operator()(std::int64_t t, std::int64_t s) { return row(t)[static_cast<std::size_t>(s - first(t))]; }

  /// The element of any state s: 0 where s is not live.
  Weight operator()(std::int64_t t, std::int64_t s) const {
    const auto i = static_cast<std::size_t>(t);
    const std::int64_t place = s - first(t), width = static_cast<std::int64_t>(begins_[i + 1] - begins_[i]);
    return place >= 0 && place < width ? elements_[begins_[i] + static_cast<std::size_t>(place)] : Weight(0);
  }

  /// The live states of frame t, of which the first is first(t).
  std::span<Weight> row(std::int64_t t) {
    const auto i = static_cast<std::size_t>(t);
    return {elements_.data() + begins_[i], begins_[i + 1] - begins_[i]};
  }
  std::int64_t first(std::int64_t t) const { return first_[static_cast<std::size_t>(t)]; }

 private:
  std::int64_t states_;
  std::vector<std::int64_t> first_;  ///< [T]
  std::vector<std::size_t> begins_;  ///< [T + 1], of each frame's elements
  std::vector<Weight> elements_;
};

}  // namespace assay::reference
