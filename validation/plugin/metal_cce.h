// Someone's linear cross-entropy in Metal, as a binding describes it (docs/plugins-metal.md).
#pragma once

#include <memory>
#include <string>

#include "validation/cce/kernel.h"

namespace assay::validation::plugin {

/// Compiles. Throws std::invalid_argument for a binding that is none of cce, and where the shader does not fit it.
std::shared_ptr<const CceKernel> metal_cce_plugin(const std::string& binding);

}  // namespace assay::validation::plugin
