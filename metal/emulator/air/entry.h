// The functions through which the Metal text calls a module: the kernel, and what sets its function constants.
#pragma once

#include <string>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/air/metadata.h"

namespace assay::metal::emulator::air {

/// The definitions of assay_air_kernel, assay_air_initialise and assay_air_predicate_N: declarations.h. `signature` has
/// the kernel's parameters, in parentheses; `constructors` compute what depends on function constants.
Result<std::string> entry_functions(const KernelMetadata& kernel, const std::string& signature,
                                    const std::vector<std::string>& constructors);

}  // namespace assay::metal::emulator::air
