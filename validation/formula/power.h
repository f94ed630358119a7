// What a run would notice: which indices of an extent decide the verdict on a needle case. An index is noticed by its
// element of a result if a 0 in the element's place is beyond the bound, and by its term of a sum if the results of the
// formula without the term are. Both are computed, not estimated.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "validation/formula/judge.h"

namespace assay::validation::formula {

/// The indices that are noticed, over all needle cases of one size of an extent.
class Power {
 public:
  explicit Power(std::int64_t size) : size_(size), elements_(static_cast<std::size_t>(size), false) {}

  /// Adds what a comparison of the outputs, or of the gradients, on a needle case of this size notices.
  void take(const Subject& subject, const Case& c, bool gradient);

  std::int64_t size() const { return size_; }
  std::int64_t elements() const;

  /// By every sum over the extent. Sums of a gradient that notice nothing are left out, since their terms may cancel.
  std::int64_t terms() const;

  /// "0 of the 4097 terms of the sum in line 12", for each sum some of whose terms hide.
  std::vector<std::string> hidden() const;

 private:
  struct Sum {
    std::int32_t line = 0;  ///< of the formula's source
    std::vector<bool> noticed;
  };

  std::int64_t size_;
  bool gradient_ = false;
  std::vector<bool> elements_;
  std::map<std::int32_t, Sum> sums_;  ///< the nodes that are sums over the extent
};

}  // namespace assay::validation::formula
