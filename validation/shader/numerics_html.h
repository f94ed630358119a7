// The findings of --numerics as an HTML page without scripts: the source as a heat map of the error.
#pragma once

#include <string>

#include "validation/shader/run.h"
#include "validation/shader/script.h"

namespace assay::validation {

/// For each dispatch, its worst outputs and its sources. A line is coloured by its share of the error; before it stand
/// the bits that its worst operation lost and the share; below it, with operands, the origins of NaN and infinities
/// and the losses that are reported there. The shader's own file is shown even if nothing was found in it.
std::string numerics_html(const ShaderScript& script, const ShaderOutcome& outcome);

}  // namespace assay::validation
