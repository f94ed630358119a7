// Reports the address of a plug-in's out-of-bounds access to the program, and then ends the worker.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::validation::transport {

/// Installs the handlers of SIGSEGV and SIGBUS that report faults.
void report_faults();

/// The request in which faults are from now on.
void report_faults_of(std::uint64_t call);

/// Sets the place of the shared memory. Addresses in the shared memory are reported as offsets.
void report_offsets_into(const std::byte* memory, std::size_t size);

}  // namespace assay::validation::transport
