// Finds the processes that a plug-in has started by a variable of their environment, which they inherit: also those
// that have left its process group.
#pragma once

#include <string>

namespace assay::validation::transport {

inline constexpr const char* mark_name = "ASSAY_PLUGIN_PROCESS";

/// "ASSAY_PLUGIN_PROCESS=12-3", as no other process has it.
std::string new_mark();

/// Ends all processes with the mark but this one. Finds none where the system has no /proc.
void end_marked(const std::string& mark);

}  // namespace assay::validation::transport
