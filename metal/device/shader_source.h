// A .metal file and the files it includes as one text: Metal compiles a text and finds no files. Changes to a shader,
// such as planted faults, are made in this text too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "metal/device/result.h"

namespace assay::metal {

/// The file's text, in which each `#include "name"` is replaced by the text of that file, with `name` relative to the
/// including file, or else to one of `folders`. #line marks keep the files and lines in the compiler's messages right.
/// A file with `#pragma once` is included once. An #include of a file that cannot be read stays, since it may name one
/// of Metal's headers or be disabled. Behind it come the files `linked`. Errors: environment, for `path` itself.
Result<std::string> text_with_includes(const std::filesystem::path& path,
                                       const std::vector<std::filesystem::path>& folders = {},
                                       const std::vector<std::filesystem::path>& linked = {});

}  // namespace assay::metal
