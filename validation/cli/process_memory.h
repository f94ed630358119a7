// The memory of a process that judges: how the system and the allocator keep it small.
#pragma once

namespace assay::validation {

/// Keeps the process, and the processes of plug-ins that it starts, small.
///
/// Huge pages are refused: a needle case touches a band of a large table, and a kernel that advises huge pages would
/// make the whole table resident. Memory blocks of more than 32 MiB return to the system when they are freed, by any
/// thread; smaller ones are kept for the next case, since touching new pages took a quarter of the run.
void save_memory();

/// Returns free memory of the heap to the system if it is more than 64 MiB; the next cases use less than that again.
void return_free_memory();

}  // namespace assay::validation
