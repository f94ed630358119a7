// The result of a gradient check as plain data, for the terminal, JSON and Python.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/core/verdict.h"

namespace assay::validation {

/// One element of a gradient and its true value.
struct GradcheckElement {
  std::string place;    ///< "gradient[t=3, b=0, k=2]"
  std::string exact;    ///< to 25 significant digits, or to the measured digits for a black box
  double expected = 0;  ///< the exact value, rounded to the type of the gradient
  double got = 0;       ///< the gradient's element, exact for every type
  double error = 0;     ///< |got - exact|
  double bound = 0;     ///< the error that rounding may cause
  double share = 0;     ///< error / bound; NaN or infinite if got is
};

/// pass        every element within its bound
/// fail        an element is beyond its bound
/// mistrusted  the check cannot decide; `explanation` says why
/// skipped     nothing was judged; `notes` say why
/// error       the kernel or the function refused, threw or wrote out of bounds; `explanation` says which
struct GradcheckRecord {
  std::string subject;  ///< "ctc kernel cpu"; "function of 3 variables"
  Verdict verdict = Verdict::skipped;
  std::int64_t cases = 0;        ///< judged cases
  std::int64_t wrong_cases = 0;  ///< judged cases with a wrong element
  std::int64_t elements = 0;     ///< judged elements of all cases
  std::int64_t wrong = 0;        ///< elements beyond their bounds
  Margin worst;                  ///< the largest share of a bound
  std::string origin;            ///< the case whose elements are shown: "generated case 12: T=3 B=2 C=4", a file
  std::vector<GradcheckElement> worst_elements;  ///< the wrong elements of the case `origin`, the worst first
  std::vector<std::string> patterns;             ///< what the wrong elements have in common
  std::string variable;                          ///< "this is dL/dlogits, you declared dL/dlog_probs", or empty
  std::string explanation;
  std::vector<std::string> notes;
  std::string reproducer;  ///< a command line, or empty
};

/// The record in JSON, two spaces a level; NaN and infinities are the texts "nan", "inf" and "-inf", and each number of
/// an element has its hexadecimal image beside it.
std::string to_json(const GradcheckRecord& record);

/// The record as text, in lines of at most 100 columns except for the reproducer.
std::string to_text(const GradcheckRecord& record, bool colour = false);

}  // namespace assay::validation
