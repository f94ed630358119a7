// The worker's end of the socket to the program that started it.
#pragma once

#include <string_view>

#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

/// These end the process if the program has closed its end.
void send(std::string_view bytes);
void send(const Answer& answer);

/// Returns false if the program has closed its end.
bool receive(Request& request);

}  // namespace assay::validation::transport
