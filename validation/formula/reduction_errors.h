// How far rounding may carry a sum, a product or an extreme value, from the errors of its terms.
// Derivation: docs/formula.md, "The bound".
#pragma once

#include <span>
#include <vector>

#include "validation/formula/element_errors.h"

namespace assay::validation::formula {

/// What rounding a sum is made of, in any order and, where terms are exponentials, online.
struct SumErrors {
  double carried = 0;     ///< the errors of the terms
  double total = 0;       ///< the sum of their sizes
  double operations = 0;  ///< roundings of `total`, of which the bound counts each in full

  double bound(const NumberFormat& format) const;
};

/// `may_rescale`: the sum may be taken online, relative to a maximum. `accumulate` is the sum's type.
SumErrors sum_errors(std::span<const Operand> terms, bool may_rescale, Dtype accumulate);

/// sum_errors of the first term, of the first two, and so on.
class CumulativeErrors {
 public:
  explicit CumulativeErrors(Dtype accumulate);

  void begin();
  /// The errors of the sum of the terms since begin() and of this one.
  SumErrors add(const Operand& term, bool may_rescale);

 private:
  double effective_terms() const;
  double rescaling();

  double roundoff_;
  SumErrors sum_;
  std::vector<double> sizes_;    ///< of the terms, the largest first
  std::vector<double> growths_;  ///< of a term by as many rescalings as its index
  bool is_finite_ = true, is_non_negative_ = true;
};

/// `value` is the exact product of the factors.
double product_error(std::span<const Operand> factors, double value, const ElementErrors& elements);

/// The largest of all errors of terms that may be the extreme one. op: Op::largest or its opposite.
double extreme_error(std::span<const Operand> terms, Op op);

}  // namespace assay::validation::formula
