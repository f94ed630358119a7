// The outcome of running a shader as JSON.
#pragma once

#include <string>
#include <vector>

#include "validation/shader/compare.h"
#include "validation/shader/run.h"

namespace assay::validation {

/// {"file", "device", "is_checked", "passes": [{"function", "grid", "group", "gpu_seconds" (null where it is not
/// measured), "has_begun" (false after a pass that failed)}], "arrays": {name: {"dtype", "shape"}}, "error" (null or
/// text), "reports": [{"check", "kernel", "message", "address", "advice", "count", "event", "other" (null or an
/// event)}], "warnings": [the same], "allowed": [the same with the "reason" of the comment that allows it]}. An event
/// is
/// {"action", "file", "line", "column", "thread_position_in_grid", "thread_position_in_threadgroup",
/// "threadgroup_position_in_grid"}; a report of the source itself has null for the three positions. "comparisons" is a
/// list of {"array", "elements", "different", "outside", "both_nan", "allowed_ulps", "worst" (null or {"index" in C
/// order, "ulps" (null: no number of them), "left", "right"})}.
std::string to_json(const ShaderScript& script, const ShaderOutcome& outcome,
                    const std::vector<ArrayComparison>& comparisons = {});

}  // namespace assay::validation
