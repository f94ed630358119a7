// The listing of a library that Apple's compiler has compiled: its kernels, with what their metadata says.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace assay::validation {

struct LibraryListing {
  std::string text;
  std::string json;  ///< {"libraries": [...], "kernels": [...], "function_constants": [...]}: listing.h, and more
};

/// The names of all kernels: the kernels in the JSON have no other key.
LibraryListing list_library(const std::filesystem::path& file);

/// The kernels whose names are `wanted`, with arguments, fields of structs, function constants and how they were
/// compiled. Throws std::invalid_argument if there is none, or if a module cannot be read.
LibraryListing list_library(const std::filesystem::path& file, const std::function<bool(const std::string&)>& wanted);

}  // namespace assay::validation
