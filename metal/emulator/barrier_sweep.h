// Is every barrier of a kernel needed, and would its loss be noticed? Deletes or weakens one barrier after another and
// runs the kernel: each such mutant must be reported. If one is not, the barrier is stronger than needed, or the
// dispatch does not exercise what it protects.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/check/report.h"

namespace assay::metal::emulator {

/// A source in which one threadgroup_barrier or simdgroup_barrier has been changed.
struct BarrierMutant {
  SourcePosition barrier;  ///< in the unchanged source, or in the file that its line markers name
  std::string change;      ///< for example "deleted" or "mem_threadgroup -> mem_none"
  std::string source;
  std::vector<Report> reports = {};  ///< once it has run
};

/// Deletes each barrier, removes each of its flags, and replaces mem_threadgroup alone by mem_device and the other way
/// round. Ignores barriers in comments, and in system headers of a preprocessed source.
std::vector<BarrierMutant> barrier_mutants(const std::string& source);

/// Compiles a source, dispatches its kernel on inputs that exercise it, and returns the reports of the checks.
using RunSource = std::function<Result<std::vector<Report>>(const std::string& source)>;

struct BarrierSweep {
  std::vector<BarrierMutant> reported, survivors;
};

/// Errors: those of `run`; execution, if the unchanged source is reported.
Result<BarrierSweep> sweep_barriers(const std::string& source, const RunSource& run);

}  // namespace assay::metal::emulator
