// Compares gradients with the reference, element by element.
#pragma once

#include <string>
#include <vector>

#include "reference/number/big_float.h"
#include "validation/core/dtype.h"
#include "validation/core/guarded_output.h"
#include "validation/gradcheck/pattern.h"
#include "validation/gradcheck/record.h"

namespace assay::validation {

/// One gradient of a case. Every acceptance is `error <= bound`, which a NaN does not pass. If the reference is NaN or
/// infinite, the gradient must be the same.
struct JudgedGradient : GradientArray {
  std::vector<reference::BigFloat> exact;
  Dtype dtype = Dtype::float32;  ///< type that the gradient is stored in
  std::vector<double> error;

  /// Fills expected, error and wrong from exact, got, bound and dtype.
  void judge();

  double share(std::size_t i) const;
  GradcheckElement element(std::size_t i) const;

  /// Whether `got` is within `bounds` of `other`. Leaves out elements with `skip` set; an empty `skip` sets none.
  bool fits(const std::vector<reference::BigFloat>& other, const std::vector<double>& bounds,
            const std::vector<bool>& skip = {}) const;
};

/// The result for the gradients of one case.
struct GradientJudgement {
  std::vector<JudgedGradient> gradients;
  std::vector<Pattern> patterns;    ///< patterns of the wrong elements
  std::vector<Pattern> variables;   ///< "this is dL/dlogits, ..."
  std::string out_of_bounds_write;  ///< the message about a write outside an output

  bool is_wrong() const;
};

/// The elements that a run left unwritten, as a pattern; empty if there are none.
std::vector<Pattern> unwritten(const Footprint& footprint);

/// At most `worst` wrong elements, sorted by their share of the bound, the largest first.
std::vector<GradcheckElement> worst_elements(const std::vector<JudgedGradient>& gradients, std::size_t worst);

}  // namespace assay::validation
