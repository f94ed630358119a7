// What is true of a case: the any-precision reference, computed at two precisions that must agree.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "reference/ctc/batch.h"
#include "reference/number/big_float.h"
#include "validation/ctc/case.h"

namespace assay::validation {

using reference::BigFloat;

struct CtcTruth {
  std::vector<reference::CtcRow<BigFloat>> rows;
  std::vector<BigFloat> loss;      ///< [B] or [1], as the kernel is asked for
  std::vector<BigFloat> gradient;  ///< [T, B, C]; NaN where no gradient exists
};

/// The reference at two precisions differed by more than the lower one claims.
class ReferenceDisagrees : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws ReferenceDisagrees unless loss and gradient at `digits` digits and at more are of the same kinds and differ
/// by at most 10^(10 - digits), or that share of a value above 1.
void require_agreement(const CtcTruth& low, const CtcTruth& high, int digits);

/// Loss and gradient of `c` to `digits` significant digits of every probability.
/// Throws ReferenceDisagrees when `digits` and `digits` + 20 do not agree, std::invalid_argument for a bad case.
CtcTruth truth_of(const CtcCase& c, int digits);

/// Remembers the truths of the last few large cases, which several properties ask for and which take seconds; small
/// ones are computed anew. A million activations take about 200 MB; what is larger is not kept.
class CtcTruthMemo {
 public:
  std::shared_ptr<const CtcTruth> truth_of(const CtcCase& c, int digits);

 private:
  struct Entry {
    CtcCase problem;
    int digits;
    std::shared_ptr<const CtcTruth> truth;
  };
  std::vector<Entry> entries_;
};

}  // namespace assay::validation
