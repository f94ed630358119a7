// An anonymous file, and writing to a file in full.
#pragma once

#include <string_view>

#include "metal/device/descriptor.h"

namespace assay::validation {

/// An anonymous file in memory, closed on exec. Throws std::system_error.
metal::Descriptor anonymous_file();

/// Writes all bytes to a file, pipe or socket, however many calls of the system it takes. Returns false, with errno, if
/// that fails, for example because nobody reads.
bool write_all(int descriptor, std::string_view bytes);

}  // namespace assay::validation
