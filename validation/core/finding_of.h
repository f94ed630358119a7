// The finding of a check that may throw.
#pragma once

#include <functional>

#include "validation/core/verdict.h"

namespace assay::validation {

/// What the check finds; an error, with the exception's text, if the kernel refuses a valid problem or anything throws.
/// A kernel that declines is skipped, and a reference that is not certain mistrusted. KernelUnavailable, and what is no
/// std::exception, pass through. The finding has the time of the kernel's longest call.
Finding finding_of(const std::function<Finding()>& check);

}  // namespace assay::validation
