// Is every barrier of a kernel needed, and would its loss be noticed? Deletes or weakens one barrier after the other
// and runs the kernel: each such mutant must be reported. One that is not is either superfluous as it stands in the
// source, or the dispatch does not exercise what it protects.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/check/report.h"

namespace assay::metal::emulator {

/// A source in which one threadgroup_barrier or simdgroup_barrier has been changed.
struct BarrierMutant {
  SourcePosition barrier;  ///< in the unchanged source
  std::string change;      ///< for example "deleted" or "mem_threadgroup -> mem_none"
  std::string source;
};

/// Deletes each barrier; takes each of its flags away; puts mem_device in the place of mem_threadgroup alone, and the
/// other way round. Barriers in comments are left alone.
std::vector<BarrierMutant> barrier_mutants(const std::string& source);

/// Compiles a source, dispatches its kernel on inputs that exercise it, and gives what the checks found.
using RunSource = std::function<Result<std::vector<Report>>(const std::string& source)>;

struct BarrierSweep {
  std::vector<BarrierMutant> reported, survivors;
};

/// Errors: those of `run`; execution where the unchanged source is reported itself.
Result<BarrierSweep> sweep_barriers(const std::string& source, const RunSource& run);

}  // namespace assay::metal::emulator
