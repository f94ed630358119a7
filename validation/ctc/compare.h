// Holds values against values under a bound and keeps the worst of them; every acceptance is `error <= bound`, which
// a NaN does not pass.
#pragma once

#include <string>

#include "validation/core/verdict.h"
#include "validation/ctc/bounds.h"
#include "validation/ctc/run.h"
#include "validation/ctc/truth.h"

namespace assay::validation {

/// Where an element stands: loss[b], gradient[t, b, k], or a whole frame of it.
struct Place {
  const char* output;
  std::int64_t t = -1;
  std::int64_t b = -1;
  std::int64_t k = -1;

  std::string text() const;
};

class Comparison {
 public:
  /// `got` against `expected`. An infinity or NaN that is expected must come; bound 0 asks for equality.
  void near(const Place& place, float got, double expected, double bound);

  /// The same against an exact value; a failure shows it to 25 digits.
  void near(const Place& place, float got, const BigFloat& exact, double bound);

  /// Records a failure that is not about one number.
  void fail(const std::string& why);

  /// The verdict so far: the first failure in full and the number of the others, or the worst margin.
  Finding finding() const;

  bool anything() const { return compared_ > 0; }

 private:
  void same_special(const Place& place, float got, double expected);
  bool accept(const Place& place, double error, double bound);

  Margin margin_;
  std::string first_failure_;
  std::int64_t failures_ = 0;
  std::int64_t compared_ = 0;
};

/// Two runs of the same problem must agree in every bit.
Finding same_bits(const CtcCase& c, const CtcRun& first, const CtcRun& second, const std::string& what);

/// Two runs whose results should agree up to rounding: `expected` * factor, within `slack` times the bounds of `c`.
/// Rows that cannot be aligned must agree in kind.
void compare_gradients(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& got,
                       const CtcRun& expected, double slack);

}  // namespace assay::validation
