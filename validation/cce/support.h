// What a linear cross-entropy kernel claims to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/cce/case.h"
#include "validation/core/dtype.h"
#include "validation/core/support.h"

namespace assay::validation {

struct CceSupport {
  std::vector<Dtype> dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16};
  std::int64_t largest_N = no_limit, largest_H = no_limit, largest_V = no_limit;
  bool bias = true, logit_softcap = true, label_smoothing = true, z_loss = true;
  bool reduction_none = true, reduction_sum = true, reduction_mean = true;
  bool upstream = true;          ///< a gradient of the loss other than ones
  bool any_ignore_index = true;  ///< an ignore_index other than -100
  bool empty = true;             ///< no tokens, or none but ignored ones
  bool checks_arguments = true;  ///< refuses bad arguments by name
};

/// Why a kernel of such support need not do the case; empty where it must.
std::string why_not(const CceSupport& support, const CceCase& c);

}  // namespace assay::validation
