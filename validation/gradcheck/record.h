// What a gradient check found, as plain data: for a terminal, for JSON, for Python.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/core/verdict.h"

namespace assay::validation {

/// One element of a gradient against what is true of it.
struct GradcheckElement {
  std::string place;    ///< "gradient[t=3, b=0, k=2]"
  std::string exact;    ///< to 25 significant digits; for a black box to those that were measured
  double expected = 0;  ///< the exact value, rounded to the type of the gradient
  double got = 0;       ///< in which float32, float16 and bfloat16 are exact
  double error = 0;     ///< |got - exact|
  double bound = 0;     ///< what rounding may cost
  double share = 0;     ///< error / bound; NaN and infinite where got is
};

/// pass        every element within its bound
/// fail        an element is not
/// mistrusted  it cannot be decided: `explanation` says why
/// skipped     nothing was judged; `notes` say why
/// error       the kernel or the function refused, threw or wrote where it must not: `explanation`
struct GradcheckRecord {
  std::string subject;  ///< "ctc kernel cpu"; "function of 3 variables"
  Verdict verdict = Verdict::skipped;
  std::int64_t cases = 0;        ///< judged
  std::int64_t wrong_cases = 0;  ///< of those, with a wrong element
  std::int64_t elements = 0;     ///< judged, in all cases
  std::int64_t wrong = 0;        ///< of those, beyond their bounds
  Margin worst;                  ///< the largest share of a bound
  std::string origin;            ///< the case whose elements are shown: "generated case 12: T=3 B=2 C=4", a file
  std::vector<GradcheckElement> worst_elements;  ///< of that case, the worst first
  std::vector<std::string> patterns;             ///< what the wrong elements have in common
  std::string variable;                          ///< "this is dL/dlogits, you declared dL/dlog_probs", or nothing
  std::string explanation;
  std::vector<std::string> notes;
  std::string reproducer;  ///< a command line, or nothing
};

/// The record in JSON, two spaces a level; NaN and infinities are the texts "nan", "inf" and "-inf", and each number of
/// an element has its hexadecimal image beside it.
std::string to_json(const GradcheckRecord& record);

/// The record in words, in lines of at most 100 columns but for the reproducer.
std::string to_text(const GradcheckRecord& record, bool colour = false);

}  // namespace assay::validation
