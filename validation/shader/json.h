// The outcome of checking a shader as JSON.
#pragma once

#include <string>

#include "validation/shader/shader_check.h"

namespace assay::validation {

/// {"file", "function", "grid", "group", "error" (null or text), "reports": [{"check", "kernel", "message", "address",
/// "count", "event", "other" (null or an event)}], "warnings": [the same]}. An event is {"action", "file", "line",
/// "column", "thread_position_in_grid", "thread_position_in_threadgroup", "threadgroup_position_in_grid"}; a report of
/// the source itself has null for the three positions.
std::string to_json(const ShaderCheck& check, const ShaderOutcome& outcome);

}  // namespace assay::validation
