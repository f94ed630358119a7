// Names what a file is that was given in the place of an .npz, by its first bytes, and how to make an .npz of it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay::validation {

/// "a .npy file, which holds one array; numpy.savez(...)" for a file that begins with these bytes; empty for a zip
/// archive, which an .npz is.
std::string not_npz(std::string_view beginning);

/// Throws std::invalid_argument where `path` is a folder, a device, an empty file, or a file of another kind. A file
/// that cannot be opened passes: who opens it says why.
void require_npz(const std::filesystem::path& path);

}  // namespace assay::validation
