// Tells the program which address a plug-in touched that it may not, as the last thing that this process does.
#pragma once

#include <cstddef>

namespace assay::validation::transport {

/// From now on, by SIGSEGV and SIGBUS.
void report_faults();

/// Where the shared memory lies now: addresses in it are told as offsets.
void report_offsets_into(const std::byte* memory, std::size_t size);

}  // namespace assay::validation::transport
