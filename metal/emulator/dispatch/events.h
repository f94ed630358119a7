// The words of reports for a thread at a barrier or collective.
#pragma once

#include <string>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/check/report.h"

namespace assay::metal::emulator {

SourcePosition position_of(const abi::Site& site);

/// "waiting at simd_sum"
std::string waiting_at(const abi::Site& site);

}  // namespace assay::metal::emulator
