// The cases that a kernel was judged on last, of all properties: what a failure that depends on history may depend on.
#pragma once

#include <cstddef>
#include <vector>

#include "validation/core/any_case.h"

namespace assay::validation {

class RecentCases {
 public:
  /// Adds the case, and forgets the older half where the elements of all are too many to keep.
  void add(const AnyCase& c, std::size_t elements) {
    constexpr std::size_t most = std::size_t{1} << 20;
    if (elements >= most / 8) return;
    elements_ += elements + 1;
    if (elements_ > most) {
      cases_.erase(cases_.begin(), cases_.begin() + std::ssize(cases_) / 2);
      elements_ /= 2;
    }
    cases_.push_back(c);
  }

  const std::vector<AnyCase>& cases() const { return cases_; }

 private:
  std::vector<AnyCase> cases_;
  std::size_t elements_ = 0;  ///< about; of small cases there are many
};

}  // namespace assay::validation
