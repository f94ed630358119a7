// What is due to a bad argument: a refusal that names it, and nothing touched on the way.
#pragma once

#include <string>

#include "validation/core/guarded_output.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// The verdict on the run of a problem of which `what` is wrong; the refusal must speak of `named`.
Finding judge_refusal(const BasicRun& run, const std::string& what, const std::string& named);

}  // namespace assay::validation
