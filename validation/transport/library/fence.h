// What the process of a kernel may not do to others: trace them, read or write their memory, send them signals.
#pragma once

namespace assay::validation::transport {

/// Whether the system has Landlock of Linux 5.19 or later: the first version cannot allow files to be moved between
/// folders, as caches of compiled kernels move them.
bool can_fence();

/// Restricts this thread, and the threads and processes that it starts, by Landlock; signals since Linux 6.12. It does
/// nothing where can_fence() is false.
void fence();

}  // namespace assay::validation::transport
