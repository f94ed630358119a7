// When the calls of plug-ins that run now are to end: on Ctrl-C.
#pragma once

namespace assay::validation::transport {

/// Ends a call of a plug-in when `stop` returns true, with KernelDied.
void end_calls_when(bool (*stop)());

/// The function that was given last, or one that returns false.
bool (*call_ends())();

}  // namespace assay::validation::transport
