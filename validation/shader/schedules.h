// Whether the results of a script depend on the order in which threads come to their atomic accesses.
#pragma once

#include <cstdint>

#include "metal/emulator/emulator_device.h"
#include "validation/shader/run.h"
#include "validation/shader/script.h"

namespace assay::validation {

/// Runs the script under `count` random schedules, of the script's seed and the numbers after it, and compares each
/// array that a kernel may write, or the script's outputs if it names any, with those of the plain order of threads,
/// bit for bit (any NaN is NaN). Adds to the outcome of a run without findings: `schedules`; for each array that
/// differs a report of schedcheck with the two accesses whose order decides; what is reported under a schedule alone.
/// Throws as run_shader does.
void compare_schedules(const ShaderScript& script, const metal::emulator::EmulatorOptions& options, std::uint64_t count,
                       ShaderOutcome& outcome);

}  // namespace assay::validation
