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
  /// Memory for T frames, of which none is there yet.
  LiveTable(std::int64_t T, std::int64_t L) : frames_(T), states_(L), begins_{0} {
    std::size_t size = 0;
    for (std::int64_t t = 0; t < T; ++t) size += width(live_states(t, T, L));
    elements_.reserve(size);
  }

  /// The next frame, from all its states [L].
  void push_back(std::span<const Weight> states) {
    const LiveStates live = live_states(rows(), frames_, states_);
    const auto kept = states.subspan(static_cast<std::size_t>(live.first), width(live));
    first_.push_back(live.first);
    elements_.insert(elements_.end(), kept.begin(), kept.end());
    begins_.push_back(elements_.size());
  }

  std::int64_t rows() const { return std::ssize(first_); }
  std::int64_t cols() const { return states_; }

  /// The live states of frame t.
  std::span<const Weight> row(std::int64_t t) const {
    const auto i = static_cast<std::size_t>(t);
    return {elements_.data() + begins_[i], begins_[i + 1] - begins_[i]};
  }

  /// The element of any state s: 0 where s is not live.
  const Weight& operator()(std::int64_t t, std::int64_t s) const {
    const std::span<const Weight> live = row(t);
    const std::int64_t place = s - first_[static_cast<std::size_t>(t)];
    return place >= 0 && place < std::ssize(live) ? live[static_cast<std::size_t>(place)] : zero_;
  }

 private:
  static std::size_t width(LiveStates live) {
    return static_cast<std::size_t>(std::max<std::int64_t>(live.end - live.first, 0));
  }

  std::int64_t frames_;
  std::int64_t states_;
  std::vector<std::int64_t> first_;  ///< [rows], the first live state of each frame
  std::vector<std::size_t> begins_;  ///< [rows + 1], of each frame's elements
  std::vector<Weight> elements_;
  Weight zero_{0};
};

}  // namespace assay::reference
