// NumPy's .npz format: a zip archive, stored or deflated, of one "name.npy" per array.
//
// An entry's header is read before its elements, and held against the size the archive declares; elements are then read
// piece by piece, so that memory follows what is there and not what is claimed. Checksums are verified.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "validation/core/npy.h"

namespace assay::validation {

using NpyArrays = std::map<std::string, NpyArray>;

struct NpzContents {
  NpyArrays arrays;
  std::vector<std::string> others;  ///< entries that were not asked for, unread
};

/// Reads the arrays called `names`, those that are there. Throws std::runtime_error where the archive is damaged and
/// std::invalid_argument where an array is not what npy.h reads or is there twice; the message names the array.
NpzContents read_npz_archive(const std::filesystem::path& path, const std::set<std::string>& names);

/// Writes the arrays, replacing the file. Equal arrays give equal bytes. Throws std::runtime_error where the file
/// cannot be written and std::invalid_argument where an array's elements do not fill its shape.
void write_npz_archive(const std::filesystem::path& path, const NpyArrays& arrays);

}  // namespace assay::validation
