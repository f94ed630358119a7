// The worker's end of the socket to the program that started it.
#pragma once

#include <cstddef>

#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

/// Ends the process if the program has closed its end.
void write_all(const void* data, std::size_t size);
void write_all(const Answer& answer);

/// Returns false if the program has closed its end.
bool read_all(Request& request);

}  // namespace assay::validation::transport
