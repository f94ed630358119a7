// A file, read piece by piece.
#pragma once

#include <filesystem>

#include "metal/device/result.h"
#include "metal/emulator/air/library_file.h"

namespace assay::metal::emulator {

/// The bytes of a regular file, which stays open. Errors: environment, with the file's name and the reason.
Result<air::Bytes> bytes_of(const std::filesystem::path& file);

/// Whether the first bytes are those of a library, or of a program for Apple's systems.
bool begins_as_library(const air::Bytes& bytes);

}  // namespace assay::metal::emulator
