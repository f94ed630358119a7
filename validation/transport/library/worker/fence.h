// What a plug-in may not do to other processes: trace them, read or write their memory, send them signals.
#pragma once

namespace assay::validation::transport {

/// Restricts this thread, and the threads and processes that it starts, by Landlock (Linux 5.13; signals since 6.12).
/// Without Landlock it does nothing.
void fence();

}  // namespace assay::validation::transport
