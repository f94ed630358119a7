// What an SVD kernel claims to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/core/dtype.h"
#include "validation/core/support.h"
#include "validation/svd/case.h"

namespace assay::validation {

struct SvdSupport {
  std::vector<Dtype> dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16, Dtype::float64};
  std::int64_t largest_B = no_limit, largest_M = no_limit, largest_N = no_limit;
  bool wide = true;              ///< M < N
  bool tall = true;              ///< M > N
  bool empty = true;             ///< no matrices, or matrices of nothing
  bool checks_arguments = true;  ///< refuses bad arguments by name
};

/// Why a kernel of such support need not do the case; empty where it must.
std::string why_not(const SvdSupport& support, const SvdCase& c);

}  // namespace assay::validation
