// Compares runs of linear cross-entropy kernels with the truth and with each other.
#pragma once

#include <string>

#include "validation/cce/bounds.h"
#include "validation/cce/fields.h"
#include "validation/cce/truth.h"
#include "validation/core/compare.h"

namespace assay::validation {

/// The place of an element of an output, from the element's offset.
Place loss_place(std::size_t i);
Place dhidden_place(const CceCase& c, std::size_t i);
Place dweight_place(const CceCase& c, std::size_t i);
Place dbias_place(std::size_t v);

/// Whether the true gradient may overflow a 16-bit type and `got` is large or infinite, with the right sign.
bool may_overflow(double exact, double bound, double largest, float got);

/// Compares the results of two runs, each of which may be off by its bound. An infinite loss must be infinite in both.
class CceRunComparison {
 public:
  /// Two runs of one case.
  CceRunComparison(const CceCase& c, const CceKernelInfo& kernel) : case_(c), got_(c, kernel), expected_(got_) {}

  /// Runs of two cases of the same extents that should have the same results.
  CceRunComparison(const CceCase& got, const CceCase& expected, const CceKernelInfo& kernel)
      : case_(expected), got_(got, kernel), expected_(expected, kernel) {}

  void losses(const CceRun& got, const CceRun& expected);
  void gradients(const CceRun& got, const CceRun& expected);
  void all(const CceRun& got, const CceRun& expected);
  void add(const CceRun& got, const CceRun& expected, const std::string& /*what*/) { all(got, expected); }

  Comparison& comparison() { return comparison_; }
  const CceBounds& bounds() const { return got_; }
  Finding finding() const { return comparison_.finding(); }

 private:
  void near(const Place& place, float got, float expected, double bound, double range);

  const CceCase& case_;
  CceBounds got_;
  CceBounds expected_;
  Comparison comparison_;
};

}  // namespace assay::validation
