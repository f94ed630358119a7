// Gradients held against what is true of them, element by element.
#pragma once

#include <string>
#include <vector>

#include "reference/number/big_float.h"
#include "validation/core/dtype.h"
#include "validation/core/guarded_output.h"
#include "validation/gradcheck/pattern.h"
#include "validation/gradcheck/record.h"

namespace assay::validation {

/// One gradient of a case. Every acceptance is `error <= bound`, which a NaN does not pass; where NaN or an infinity is
/// true, it must come.
struct JudgedGradient : GradientArray {
  std::vector<reference::BigFloat> exact;
  Dtype dtype = Dtype::float32;  ///< that it is stored in
  std::vector<double> error;

  /// Fills expected, error and wrong from exact, got, bound and dtype.
  void judge();

  double share(std::size_t i) const;
  GradcheckElement element(std::size_t i) const;

  /// Is `got` within the bounds of other true values? Elements with `skip`, which may be empty, are left out.
  bool fits(const std::vector<reference::BigFloat>& other, const std::vector<double>& bounds,
            const std::vector<bool>& skip = {}) const;
};

/// All that is known of the gradients of one case.
struct GradientJudgement {
  std::vector<JudgedGradient> gradients;
  std::vector<Pattern> patterns;   ///< of the wrong ones
  std::vector<Pattern> variables;  ///< "this is dL/dlogits, ..."
  std::string trespass;            ///< a write beside an output, in words

  bool is_wrong() const;
};

/// What a run left unwritten, as a pattern, or nothing.
std::vector<Pattern> unwritten(const Footprint& footprint);

/// At most `worst` of the wrong elements, those first whose share of the bound is largest.
std::vector<GradcheckElement> worst_elements(const std::vector<JudgedGradient>& gradients, std::size_t worst);

}  // namespace assay::validation
