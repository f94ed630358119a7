// The sweep over the barriers of a user's shader, its #includes among them.
#pragma once

#include <string>

#include "metal/emulator/barrier_sweep.h"
#include "validation/shader/script.h"

namespace assay::validation {

/// Deletes and weakens each barrier that the kernels of the script may come to, and runs the script each time. Errors:
/// compile; execution, if the unchanged shader is reported or a changed one does not run. Throws as run_shader does.
metal::Result<metal::emulator::BarrierSweep> sweep_shader(const ShaderScript& script);

/// {"changes": [{"file", "line", "column", "change", "check" (null: not noticed), "at" (null, or a place)}]}
std::string to_json(const metal::emulator::BarrierSweep& sweep);

}  // namespace assay::validation
