// The findings of --numerics on a dispatch, for the terminal: its outputs beside their exact values, and the source
// with the loss of each line in the margin.
#pragma once

#include <string>

#include "metal/emulator/numerics/losses.h"

namespace assay::validation {

/// "28 elements lost more than half of the digits".
std::string summary_of(const metal::emulator::DispatchLosses& dispatch);

/// "buffer(1) `y` + 0 is 1.125, exactly 1.05532504: 20.1 of 24 bits lost".
std::string text_of(const metal::emulator::OutputError& one);

std::string numerics_text(const metal::emulator::DispatchLosses& dispatch);

}  // namespace assay::validation
