// What tells one kernel from another of the same name: a report must not answer for a kernel that it never saw.
#pragma once

#include <filesystem>
#include <string>

namespace assay::validation {

/// A digest of the file's bytes and, of a text such as a binding or a shader, of those of the files beside it that it names
/// in quotes, and so on. Empty where there is no such file: the project's own kernels are those of the program's version.
std::string fingerprint_of(const std::filesystem::path& file);

}  // namespace assay::validation
