// Someone's singular value decomposition in Metal, as a binding describes it (docs/plugins-metal.md).
#pragma once

#include <memory>
#include <string>

#include "validation/svd/kernel.h"

namespace assay::validation::plugin {

/// Compiles. Throws std::invalid_argument for a binding that is none of svd, and where the shader does not fit it.
std::shared_ptr<const SvdKernel> metal_svd_plugin(const std::string& binding);

}  // namespace assay::validation::plugin
