// Holds a batch to the reference some rows at a time: the truth of a large batch would take a hundred times its memory.
#pragma once

#include <cstdint>
#include <functional>

#include "validation/ctc/bounds.h"
#include "validation/ctc/operation.h"
#include "validation/ctc/truth.h"

namespace assay::validation::properties {

/// Rows of a case, what a kernel gave for them, and what they are held to.
struct CtcPart {
  std::int64_t first;  ///< row of the case
  const CtcCase& problem;
  const CtcRun& run;
  const CtcBounds& bounds;
  const CtcTruth& truth;
};

/// Calls use(part) for some rows at a time of a large batch, else once for all; a reduction needs all. Truth and bounds
/// are computed anew only where a part differs from the latest three: the rows of needle cases and of pairs repeat.
void in_parts(const CtcContext& context, const CtcCase& c, const CtcRun& run,
              const std::function<void(const CtcPart&)>& use, Rounding rounding = Rounding::worst_case);

}  // namespace assay::validation::properties
