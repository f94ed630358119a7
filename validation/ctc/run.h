// One run of a kernel on a case, with its outputs poisoned beforehand and guarded on both sides.
#pragma once

#include <string>
#include <vector>

#include "validation/core/guarded_output.h"
#include "validation/ctc/case.h"
#include "validation/ctc/kernel.h"

namespace assay::validation {

struct CtcRunOptions {
  int threads = 0;
  bool gradient = true;
  int extra_loss = 0;      ///< elements of loss beyond, or below, those due
  int extra_gradient = 0;  ///< likewise of the gradient
};

struct CtcRun : BasicRun {
  std::vector<float> loss;
  std::vector<float> gradient;

  float gradient_at(const CtcCase& c, std::int64_t t, std::int64_t b, std::int64_t k) const {
    return gradient[static_cast<std::size_t>((t * c.B + b) * c.C + k)];
  }
};

/// Runs the kernel whatever it does with bad arguments. Exceptions other than std::invalid_argument pass through.
CtcRun run_kernel(const CtcKernel& kernel, const CtcCase& c, const CtcRunOptions& options = {});

/// As run_kernel, for a problem that is valid: a refusal throws RefusedValidProblem, and one that the kernel does not
/// claim to do throws Unsupported.
CtcRun run_valid(const CtcKernel& kernel, const CtcCase& c, const CtcRunOptions& options = {});

}  // namespace assay::validation
