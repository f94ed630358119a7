// The folder in which compiled shaders are kept. What is in it is loaded into the process, so no other user may be able
// to write it.
#pragma once

#include <filesystem>

#include "metal/device/result.h"

namespace assay::metal::emulator {

/// `wanted`, else $XDG_CACHE_HOME/assay, else ~/.cache/assay, without symbolic links; it is made if it is missing. It
/// has to belong to this user, only this user may write it, and only this user or root the folders above it, as ssh
/// asks for its keys. Otherwise, or if it is full, a message on stderr says why, once, and the folder is one for this
/// process alone, which its end removes. Errors: environment, if that cannot be made either.
Result<std::filesystem::path> cache_folder(const std::filesystem::path& wanted = {});

}  // namespace assay::metal::emulator
