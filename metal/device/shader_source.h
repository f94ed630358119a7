// One text of a .metal file and the files it includes: Metal compiles text, and has no folder to look into. Changes to
// a shader, such as planted faults, are made in that text too.
#pragma once

#include <filesystem>
#include <string>

#include "metal/device/result.h"

namespace assay::metal {

/// The file's text, each `#include "name"` replaced by the text of that file (names are relative to the file that
/// includes) between #line marks, so that the compiler's messages name files and lines as they are. A file of
/// `#pragma once` comes once. What is not there to read stays as it is, for the compiler to judge: the #include may be
/// one of Metal's headers, or switched off. Errors: environment, for `path` itself.
Result<std::string> text_with_includes(const std::filesystem::path& path);

}  // namespace assay::metal
