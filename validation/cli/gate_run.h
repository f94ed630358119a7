// One kernel through every property, shown as it goes.
#pragma once

#include <regex>

#include "validation/ctc/gate.h"
#include "validation/ctc/kernel.h"

namespace assay::validation {

struct GateRun {
  CtcGateOptions options;
  std::regex filter;  ///< searched for in a property's name; empty matches all
  int digits = 50;
};

/// Prints the table row by row, then coverage, failures and the lines that reproduce them.
/// Returns the exit status: 0 all passed, 1 something failed, 2 nothing matched the filter.
int judge_kernel(const CtcKernel& kernel, const GateRun& run);

}  // namespace assay::validation
