// An open file that closes itself, and writing to one in full.
#pragma once

#include <string_view>

#include "metal/device/descriptor.h"

namespace assay::validation {

using File = metal::Descriptor;

/// An anonymous file in memory, closed on exec. Throws std::system_error.
File anonymous_file();

/// Writes all bytes to a file, pipe or socket, however many calls of the system it takes. Returns false, with errno, if
/// that fails, for example because nobody reads.
bool write_all(int descriptor, std::string_view bytes);

}  // namespace assay::validation
