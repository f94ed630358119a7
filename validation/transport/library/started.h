// Ends the process of a kernel and those that it has started, which are found by a variable of their environment: also
// those that have left its process group.
#pragma once

#include <string>

namespace assay::validation::transport {

inline constexpr const char* mark_name = "ASSAY_PLUGIN_PROCESS";

/// "ASSAY_PLUGIN_PROCESS=12-3", as no other process has it.
std::string new_mark();

/// Ends all processes with the mark but this one. Finds none where the system has no /proc.
void end_marked(const std::string& mark);

/// Ends this process, its group and all processes with its mark, without destructors.
[[noreturn]] void leave();

/// Leaves when the other end of the file is closed, as it is where the judge has ended, even if the kernel never returns.
void leave_when_closed(int file);

}  // namespace assay::validation::transport
