// Someone's CTC in Metal, as a binding describes it (docs/plugins-metal.md).
#pragma once

#include <memory>
#include <string>

#include "validation/ctc/kernel.h"

namespace assay::validation::plugin {

/// Compiles. Throws std::invalid_argument for a binding that is none of CTC, and where the shader does not fit it.
std::shared_ptr<const CtcKernel> metal_ctc_plugin(const std::string& binding);

}  // namespace assay::validation::plugin
