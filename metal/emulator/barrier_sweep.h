// Is every barrier of a kernel needed, and would its loss be noticed? Deletes or weakens one barrier after another and
// runs the kernel: each such change must be reported. If one is not, the barrier is stronger than needed, or the
// dispatch does not exercise what it protects.
//
// The source is compiled once: a change takes effect when a thread reaches the barrier.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/air/module.h"
#include "metal/emulator/barrier_change.h"
#include "metal/emulator/check/report.h"

namespace assay::metal::emulator {

/// A threadgroup_barrier or simdgroup_barrier that is changed.
struct BarrierMutant {
  SourcePosition barrier;            ///< in the source, or in the file that its line markers name
  std::string change;                ///< for example "deleted" or "mem_threadgroup -> mem_none"
  BarrierChange effect;              ///< for EmulatorOptions
  std::vector<Report> reports = {};  ///< once it has run
};

/// Deletes each barrier, removes each of its flags, and replaces mem_threadgroup alone by mem_device and the other way
/// round. Ignores barriers in comments, and in system headers of a preprocessed source.
std::vector<BarrierMutant> barrier_mutants(const std::string& source);

/// Likewise of the barriers of a compiled kernel.
std::vector<BarrierMutant> barrier_mutants(const std::vector<air::ModuleBarrier>& barriers);

/// Dispatches the kernels of the source with EmulatorOptions::barrier_change, on inputs that exercise them, and returns
/// the reports of the checks.
using RunChanged = std::function<Result<std::vector<Report>>(const BarrierChange& change)>;

struct BarrierSweep {
  std::vector<BarrierMutant> reported, survivors;
};

/// Errors: those of `run`; execution, if the unchanged kernels are reported.
Result<BarrierSweep> sweep_barriers(std::vector<BarrierMutant> mutants, const RunChanged& run);

}  // namespace assay::metal::emulator
