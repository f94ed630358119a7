// Zip archives with compiled libraries in their files: the wheels of Python's packages, the archives of applications.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/air/library_file.h"

namespace assay::metal::emulator {

/// Whether the file begins as a zip archive, or is called as a wheel is.
bool is_archive(const std::filesystem::path& file);

struct Unpacked {
  air::Bytes bytes;                  ///< all libraries, one after the other
  std::vector<std::string> members;  ///< for each library the file of the archive that it is from
};

/// The libraries in an archive. They are unpacked once, into the cache; checksums are verified. Errors: argument, with
/// the archive and its file, if it is damaged, has no library, or unpacks to more than 8 GiB; environment.
Result<Unpacked> unpacked(const std::filesystem::path& archive);

}  // namespace assay::metal::emulator
