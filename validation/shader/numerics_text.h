// What --numerics says of a dispatch, for the terminal: its outputs beside their exact values, and the source with what
// each line loses in the margin.
#pragma once

#include <string>

#include "metal/emulator/numerics/losses.h"

namespace assay::validation {

std::string numerics_text(const metal::emulator::DispatchLosses& dispatch);

}  // namespace assay::validation
