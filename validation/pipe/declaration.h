// What a kernel at the other end of a pipe says of itself: a JSON object under the names of CtcKernelInfo,
// CceKernelInfo, SvdKernelInfo and, in "support", of their supports. What is left out has the value that it has there.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "validation/cce/kernel.h"
#include "validation/ctc/kernel.h"
#include "validation/svd/kernel.h"

namespace assay::validation {

// Each throws std::invalid_argument naming a key that is unknown or whose value is not what it should be.

CtcKernelInfo ctc_info_from(const nlohmann::json& said);
CceKernelInfo cce_info_from(const nlohmann::json& said);
SvdKernelInfo svd_info_from(const nlohmann::json& said);

}  // namespace assay::validation
