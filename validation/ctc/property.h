// A property of CTC kernels: a claim, the cases it wants, and a check that gives a verdict on one case.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "validation/core/verdict.h"
#include "validation/ctc/generate.h"
#include "validation/ctc/kernel.h"
#include "validation/ctc/truth.h"

namespace assay::validation {

/// What is judged, by a reference of how many digits, which may remember what it has computed.
struct CtcContext {
  const CtcKernel& kernel;
  int digits = 50;
  std::shared_ptr<CtcTruthMemo> memo = std::make_shared<CtcTruthMemo>();

  std::shared_ptr<const CtcTruth> truth_of(const CtcCase& c) const { return memo->truth_of(c, digits); }
};

struct CtcProperty {
  std::string name;
  std::string claim;  ///< one line
  CtcProfile profile;
  std::function<Finding(const CtcContext&, const CtcCase&)> check;
  bool against_reference = false;  ///< judged by the reference, so worth the sizes that take it seconds
};

/// The verdict on one case. A refusal of a valid problem, or any exception, is an error with its text.
Finding judge(const CtcProperty& property, const CtcContext& context, const CtcCase& c);

/// Every property, in the order in which a report lists them.
const std::vector<CtcProperty>& ctc_properties();

}  // namespace assay::validation
