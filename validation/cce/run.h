// One run of a kernel on a case, with its outputs poisoned beforehand and guarded on both sides.
#pragma once

#include <string>
#include <vector>

#include "validation/cce/case.h"
#include "validation/cce/kernel.h"
#include "validation/core/guarded_output.h"

namespace assay::validation {

struct CceRunOptions {
  CceRequest request = {};
  bool dhidden = true;
  bool dweight = true;
  bool dbias = true;  ///< where the problem has a bias
  // Elements of an output beyond, or below, those due.
  int extra_loss = 0;
  int extra_dhidden = 0;
  int extra_dweight = 0;
  int extra_dbias = 0;
  bool weight_of_other_type = false;  ///< weight is given in another type than hidden
};

/// Results as float32, in which 16-bit gradients are exact.
struct CceRun : BasicRun {
  std::vector<float> loss;
  std::vector<float> dhidden;
  std::vector<float> dweight;
  std::vector<float> dbias;
};

/// Runs the kernel whatever it does with bad arguments. Exceptions other than std::invalid_argument pass through.
CceRun run_kernel(const CceKernel& kernel, const CceCase& c, const CceRunOptions& options = {});

/// As run_kernel, for a problem that is valid: a refusal throws RefusedValidProblem, and one that the kernel does not
/// claim to do throws Unsupported.
CceRun run_valid(const CceKernel& kernel, const CceCase& c, const CceRunOptions& options = {});

}  // namespace assay::validation
