// Remembers what a function gave for the last different cases: the rows of a large batch repeat.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "validation/core/reach.h"

namespace assay::validation {

template <class Case, class Value>
class Remembered {
 public:
  /// make(c), or what it gave before for an equal case.
  template <class Make>
  const Value& of(const Case& c, const Make& make) {
    for (std::size_t tried = 0; tried < entries_.size(); ++tried) {
      const std::size_t i = next_;
      next_ = (next_ + 1) % entries_.size();
      if (entries_[i].first == c) return entries_[i].second;
    }
    if (entries_.size() == needle_period) entries_.clear();
    entries_.emplace_back(c, make(c));
    next_ = 0;
    return entries_.back().second;
  }

 private:
  std::vector<std::pair<Case, Value>> entries_;
  std::size_t next_ = 0;  ///< where rows that repeat in order are found at once
};

}  // namespace assay::validation
