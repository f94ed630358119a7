// NumPy's .npz format: a zip archive, stored or deflated, of one "name.npy" per array.
//
// An entry's header is compared with the size that the archive declares; then the elements are read piece by piece, so
// that memory grows with the data and not with the declared size, and never past it. Checksums are verified.
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
  std::vector<std::string> others;  ///< names of entries that were not asked for
};

/// Reads those of the arrays `names` that the archive has. Throws std::runtime_error if the archive is damaged or
/// unpacks to more than the memory limit (memory_limit.h), and std::invalid_argument if the file is none, or, naming
/// the array, if npy.h cannot read an array or the archive has the array twice.
NpzContents read_npz_archive(const std::filesystem::path& path, const std::set<std::string>& names);

/// Writes the arrays, replacing the file. Equal arrays give equal bytes. Throws std::runtime_error where the file
/// cannot be written and std::invalid_argument where an array's elements do not fill its shape.
void write_npz_archive(const std::filesystem::path& path, const NpyArrays& arrays);

}  // namespace assay::validation
