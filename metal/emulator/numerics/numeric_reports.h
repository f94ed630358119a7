// numcheck: the reports of a dispatch's origins of NaN and infinity, and of the lines that lost its outputs' digits.
#pragma once

#include <cstdint>

#include "metal/emulator/check/report_log.h"
#include "metal/emulator/numerics/losses.h"

namespace assay::metal::emulator {

/// A NaN or an overflow that an output shows is an error. What no output shows, infinities that are exact, as log(0),
/// and lost digits are warnings. `first` is the first origin of the dispatch.
void report_origins(Numerics& numerics, std::uint32_t first, const DispatchInfo& dispatch, ReportLog& log);

/// Lines with a tenth of the error or more, and, if an error is large, comparisons that it decided.
void report_losses(const Numerics& numerics, const Losses& losses, const DispatchInfo& dispatch, ReportLog& log);

}  // namespace assay::metal::emulator
